//! The numbers by which programs are tuned: where one way to run something becomes better than another. The defaults are estimates for common
//! machines; `remora tune` measures what is better on one machine, for one program and its arguments.
//!
//! The text of a tuning is lines `name=value`; what follows `#` is a comment.

use std::fmt::Write;

macro_rules! knobs {
    ($($name:ident, $text:literal, $on:ident, $default:literal, $least:literal ..= $most:literal, $tried:expr, $mark:expr, $what:literal;)*) => {
        /// One of the numbers.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Knob {
            $(#[doc = $what] $name,)*
        }
        /// All of them, those of processors first.
        pub const KNOBS: &[(Knob, Info)] = &[$((
            Knob::$name,
            Info { name: $text, on: On::$on, default: $default, least: $least, most: $most, tried: $tried, mark: $mark, what: $what },
        ),)*];
    };
}

/// What is known of a number.
#[derive(Debug)]
pub struct Info {
    /// Its name in files.
    pub name: &'static str,
    /// Where it matters.
    pub on: On,
    /// The value where nothing was measured.
    pub default: i64,
    /// The least value that makes sense.
    pub least: i64,
    /// The largest.
    pub most: i64,
    /// The values that are tried, in order.
    pub tried: &'static [i64],
    /// For a constant of the run-time system: its name there, and what programs for which it matters call.
    pub mark: Option<(&'static str, &'static str)>,
    /// What it is.
    pub what: &'static str,
}

/// What programs run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    /// Processors.
    Processors,
    /// CUDA devices.
    Devices,
}

knobs! {
    ChunkWork, "chunk-work", Processors, 20_000, 100..=1_000_000_000, &[2_000, 5_000, 20_000, 80_000, 320_000],
        Some(("REMORA_CHUNK_WORK", "remora_pieces(")), "The least work of a piece of a parallel loop, in nanoseconds as estimated";
    ChunksEach, "chunks-each", Processors, 8, 1..=1024, &[1, 2, 4, 8, 16, 32],
        Some(("REMORA_CHUNKS_EACH", "remora_pieces(")), "How many pieces of a parallel loop there are for each thread, at most";
    ScanBlock, "scan-block", Processors, 65_536, 256..=1_073_741_824, &[8_192, 16_384, 32_768, 65_536, 131_072, 262_144],
        None, "How many cells of a scan a thread goes over twice in a row";
    ProductDepth, "product-depth", Processors, 256, 16..=512, &[64, 128, 256, 512],
        None, "How many terms of the sums of a product are packed at a time";
    Threads, "device-threads", Devices, 32_768, 1..=1_073_741_824, &[2_048, 8_192, 32_768, 131_072, 524_288],
        None, "From how many threads on parallelism inside of them is not used";
    Rounds, "rounds", Devices, 32, 1..=65_536, &[2, 8, 32, 128],
        Some(("REMORA_ROUNDS", "remora_launch_map(")), "How many blocks of a map there are for each that runs at a time, at most";
    SegmentRounds, "segment-rounds", Devices, 8, 1..=65_536, &[1, 2, 8, 32],
        Some(("REMORA_SEGMENT_ROUNDS", "remora_launch_reduce(")), "The same for reductions";
    LanesWidth, "lanes-width", Devices, 512, 1..=1_048_576, &[32, 128, 512, 2_048],
        Some(("REMORA_LANES_WIDTH", "remora_launch_reduce(")), "Up to how many cells segments are reduced by lanes of a warp";
    WarpWidth, "warp-width", Devices, 4_096, 1..=1_073_741_824, &[512, 4_096, 32_768],
        Some(("REMORA_WARP_WIDTH", "remora_launch_reduce(")), "Up to how many cells they are where there are enough segments";
    Cells, "cells", Devices, 16, 1..=65_536, &[4, 16, 64],
        Some(("REMORA_CELLS", "remora_launch_reduce(")), "How many cells of a segment a thread has, at least, where a segment is divided";
    ProductSide, "product-side", Devices, 32, 1..=1_048_576, &[8, 16, 32, 64, 128],
        Some(("REMORA_PRODUCT_SIDE", "remora_product_pays(")), "From how many rows and columns on products are computed in tiles";
}

impl Knob {
    /// What is known of it.
    pub fn info(self) -> &'static Info {
        &KNOBS[self as usize].1
    }
    /// The number with this name.
    ///
    /// # Errors
    /// A message: there is none.
    pub fn named(name: &str) -> Result<Knob, String> {
        KNOBS.iter().find(|(_, info)| info.name == name).map(|(knob, _)| *knob).ok_or_else(|| {
            let names: Vec<_> = KNOBS.iter().map(|(_, info)| info.name).collect();
            format!("there is no number `{}`; there are {}", name.escape_debug(), names.join(", "))
        })
    }
}

/// A value for each of the numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tuning {
    values: [i64; KNOBS.len()],
}

impl Default for Tuning {
    fn default() -> Tuning {
        let mut values = [0; KNOBS.len()];
        values.iter_mut().zip(KNOBS).for_each(|(value, (_, info))| *value = info.default);
        Tuning { values }
    }
}

impl Tuning {
    /// The value of a number.
    pub fn get(&self, knob: Knob) -> i64 {
        self.values[knob as usize]
    }
    /// Changes a number.
    ///
    /// # Errors
    /// A message: the value makes no sense.
    pub fn set(&mut self, knob: Knob, value: i64) -> Result<(), String> {
        let Info { name, least, most, .. } = knob.info();
        if !(*least..=*most).contains(&value) {
            return Err(format!("`{name}` is {value}: a number from {least} to {most} is expected"));
        }
        self.values[knob as usize] = value;
        Ok(())
    }
    /// Reads the text of a file.
    ///
    /// # Errors
    /// The number of the line, from 1, and what is wrong with it.
    pub fn read(text: &str) -> Result<Tuning, (usize, String)> {
        let mut tuning = Tuning::default();
        for (k, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if !line.is_empty() {
                tuning.setting(line).map_err(|why| (k + 1, why))?;
            }
        }
        Ok(tuning)
    }
    /// Changes what `name=value` says.
    ///
    /// # Errors
    /// A message.
    pub fn setting(&mut self, setting: &str) -> Result<(), String> {
        let Some((name, value)) = setting.split_once('=') else {
            return Err(format!("`{}`: `name=value` is expected", setting.escape_debug()));
        };
        let (name, value) = (name.trim(), value.trim());
        let knob = Knob::named(name)?;
        let number = value.parse().map_err(|_| format!("`{}` is no whole number", value.escape_debug()))?;
        self.set(knob, number)
    }
    /// What is not as it is by default, as lines of a file.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (knob, info) in KNOBS {
            if self.get(*knob) != info.default {
                let _ = writeln!(text, "{}={}", info.name, self.get(*knob));
            }
        }
        text
    }
    /// The constants of the run-time system that are not as they are by default, as lines of C.
    pub fn constants(&self, on: On) -> String {
        let mut text = String::new();
        for (knob, info) in KNOBS {
            if let Some((constant, _)) = info.mark
                && info.on == on
                && self.get(*knob) != info.default
            {
                let _ = writeln!(text, "#define {constant} {}", self.get(*knob));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut tuning = Tuning::default();
        assert_eq!((tuning.text().as_str(), tuning.constants(On::Processors).as_str()), ("", ""));
        tuning.set(Knob::ChunkWork, 5000).expect("it makes sense");
        tuning.set(Knob::Threads, 1 << 13).expect("it makes sense");
        assert_eq!(tuning.text(), "chunk-work=5000\ndevice-threads=8192\n");
        assert_eq!(tuning.constants(On::Processors), "#define REMORA_CHUNK_WORK 5000\n");
        assert_eq!(Tuning::read(&format!("# measured\n\n {} # so", tuning.text().replace('=', " = "))), Ok(tuning));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (text, line, words) in [
            ("chunk-work", 1, "`name=value`"),
            ("\nchunk=1", 2, "there is no number `chunk`"),
            ("chunk-work=much", 1, "`much` is no whole number"),
            ("chunk-work=0", 1, "from 100 to"),
            ("chunk-work=99999999999999999999", 1, "no whole number"),
        ] {
            let (at, why) = Tuning::read(text).expect_err(text);
            assert!(at == line && why.contains(words), "{at}: {why}");
        }
    }

    #[test]
    fn defaults_are_tried_and_in_order() {
        for (knob, info) in KNOBS {
            assert_eq!(knob.info().name, info.name);
            assert!(info.tried.contains(&info.default) && info.tried.is_sorted(), "{}", info.name);
            assert!(info.tried.iter().all(|value| (info.least..=info.most).contains(value)), "{}", info.name);
        }
    }
}
