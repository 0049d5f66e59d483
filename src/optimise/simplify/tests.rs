//! Rules of simplification on texts.
