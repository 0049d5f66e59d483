//! What users can choose.

use crate::editor::hints::Kinds;
use serde::Deserialize;
use serde_json::Value;

/// The settings of the server: `remora.*` in editors. What is not given is as here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Settings {
    /// Which inlay hints there are.
    pub inlay_hints: Kinds,
}

impl Settings {
    /// Reads settings as clients send them: alone, or under `remora`. Nothing at all is no error.
    ///
    /// # Errors
    /// What is wrong with them, in words.
    pub(super) fn read(value: &Value) -> Result<Option<Settings>, String> {
        let own = value.get("remora").unwrap_or(value);
        match own {
            Value::Null => Ok(None),
            Value::Object(fields) if fields.is_empty() => Ok(None),
            own => serde_json::from_value(own.clone()).map(Some).map_err(|error| error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_given_is_as_usual() {
        let read = |text: &str| Settings::read(&serde_json::from_str(text).expect("JSON"));
        let some = read(r#"{"remora": {"inlayHints": {"types": false}}}"#).expect("settings").expect("some");
        assert!(!some.inlay_hints.types && some.inlay_hints.maps);
        assert_eq!(read("null"), Ok(None));
        assert_eq!(read("{}"), Ok(None));
        assert!(read(r#"{"inlayHints": {"colour": true}}"#).is_err(), "a mistake is not passed over");
        assert!(read(r#"{"inlayHints": {"maps": 3}}"#).is_err());
    }
}
