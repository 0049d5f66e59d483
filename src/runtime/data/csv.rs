//! Tables as text: lines of cells with commas (or tabs) between them (RFC 4180), with a line of names in front or none.
//!
//! The first line has names if none of its cells is a number or a truth value; a line with both is refused, since nobody can say what it is. A
//! column is a vector; a table all of whose columns have the same type is a matrix. An empty cell, `NA` and `N/A` are NaN among floats, and a
//! mistake among others. Empty lines are no lines of the table. Complex numbers have no cells.

use super::{At, Expected, Place, Result};
use crate::base::{Code, PrimType, Scalar};
use crate::runtime::{Array, Buffer, Value};
use csv::{ByteRecord, Reader, ReaderBuilder, Trim, WriterBuilder};

/// A table in memory that is read for one or several values.
#[derive(Debug)]
pub struct Table<'a> {
    source: &'a str,
    reader: Reader<&'a [u8]>,
    /// The names of the columns, where there are any.
    names: Vec<String>,
    /// The first line, unless it has names.
    first: Option<ByteRecord>,
    columns: usize,
    /// No table has more rows.
    most: usize,
}

/// Whether the name of a file says that it is a table, compressed or not; and what stands between its cells.
pub fn delimiter(name: &str) -> Option<u8> {
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    match name.rsplit_once('.')?.1 {
        "csv" => Some(b','),
        "tsv" => Some(b'\t'),
        _ => None,
    }
}

impl<'a> Table<'a> {
    /// A table in `bytes`; `source` names the file in messages. `what` is what it is read for.
    ///
    /// # Errors
    /// E0604 for what is no table.
    pub fn new(source: &'a str, bytes: &'a [u8], delimiter: u8, what: &str) -> Result<Table<'a>> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let reader = ReaderBuilder::new().has_headers(false).delimiter(delimiter).trim(Trim::All).from_reader(bytes);
        let most = bytes.iter().filter(|byte| **byte == b'\n' || **byte == b'\r').count() + 1;
        let mut table = Table { source, reader, names: Vec::new(), first: None, columns: 0, most };
        let mut record = ByteRecord::new();
        if table.next(&mut record, &Expected::new(what, PrimType::F64, 1))? {
            table.columns = record.len();
            table.first_line(record, what)?;
        }
        Ok(table)
    }
    /// Takes the first line for names or for values.
    fn first_line(&mut self, record: ByteRecord, what: &str) -> Result<()> {
        let shown = |cell: &[u8]| String::from_utf8_lossy(cell).chars().take(40).collect::<String>().escape_debug().to_string();
        let refused = |message: String| self.at(None).problem(Code::MalformedData, &Expected::new(what, PrimType::F64, 1), message);
        let number = record.iter().find(|cell| kind(cell) == Cell::Value);
        let name = record.iter().find(|cell| kind(cell) == Cell::Name);
        match (name, number) {
            (None, _) => self.first = Some(record),
            (Some(name), Some(number)) => {
                let message = format!("the first line has a name (`{}`) and a value (`{}`)", shown(name), shown(number));
                let mut problem = refused(message);
                problem.help.push("begin a table with a line of names, none of which is a number, or with its values".into());
                return Err(problem);
            }
            (Some(name), None) if name.contains(&b'\n') => {
                return Err(refused(format!("the name `{}` has more than one line: is a quote not closed?", shown(name))));
            }
            (Some(_), None) => self.names = record.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect(),
        }
        Ok(())
    }

    /// The only column.
    ///
    /// # Errors
    /// E0604 to E0609.
    pub fn vector(self, expected: &Expected) -> Result<Value> {
        if self.columns > 1 {
            let mut problem = self.at(None).problem(Code::DataRank, expected, format!("the table has {} columns", self.columns));
            problem.help.push(match self.names.first() {
                Some(name) => format!("choose one of {}: `{}:{name}`", self.shown(), self.source.trim_matches('`')),
                None => format!("choose one by its number, from 0: `{}:0`", self.source.trim_matches('`')),
            });
            return Err(problem);
        }
        let columns = self.columns;
        self.columns_at(&[expected], &vec![0; columns.min(1)]).map(|mut values| values.remove(0))
    }

    /// The column of this name, or of this number (from 0).
    ///
    /// # Errors
    /// E0604 to E0609.
    pub fn column(self, name: &str, expected: &Expected) -> Result<Value> {
        if self.names.iter().filter(|other| *other == name).count() > 1 {
            return Err(self.at(None).problem(Code::DataRank, expected, format!("several columns are called `{}`", name.escape_debug())));
        }
        let at = self.find(name).or_else(|| name.parse().ok().filter(|at| *at < self.columns));
        match at {
            Some(at) => self.columns_at(&[expected], &[at]).map(|mut values| values.remove(0)),
            None => Err(self.missing(name, expected)),
        }
    }

    /// A column for each of these: of this name, or, without a name, in order.
    ///
    /// # Errors
    /// E0604 to E0609.
    pub fn record(self, wanted: &[(Option<&str>, &Expected)]) -> Result<Vec<Value>> {
        let mut at = Vec::with_capacity(wanted.len());
        if let (true, [(Some(_), expected), _, ..]) = (self.names.is_empty() && self.columns > 0, wanted) {
            let mut problem =
                self.at(None).problem(Code::DataRank, expected, "the table has no line of names, and fields are found by name");
            problem.help.push("write the names of the columns in the first line".into());
            return Err(problem);
        }
        for (k, (name, expected)) in wanted.iter().enumerate() {
            match name.filter(|_| !self.names.is_empty()) {
                Some(name) => at.push(self.find(name).ok_or_else(|| self.missing(name, expected))?),
                None if self.columns == wanted.len() => at.push(k),
                None => {
                    let message = format!("the table has {} columns, {} are expected", self.columns, wanted.len());
                    return Err(self.at(None).problem(Code::DataRank, &whole(expected, &k.to_string()), message));
                }
            }
        }
        let expected: Vec<&Expected> = wanted.iter().map(|(_, expected)| *expected).collect();
        self.columns_at(&expected, &at)
    }

    /// All columns, as a matrix.
    ///
    /// # Errors
    /// E0604 to E0609.
    pub fn matrix(mut self, expected: &Expected) -> Result<Value> {
        self.no_complex(expected)?;
        let count = self.most.saturating_mul(self.columns);
        let mut items = Buffer::with_capacity(expected.prim, count).map_err(|s| self.at(None).shortage(expected, s))?;
        let (columns, mut rows) = (self.columns, 0);
        self.each(expected, &mut |place, record| {
            rows += 1;
            for k in 0..columns {
                items.push(scalar(place, record, k, expected)?);
            }
            Ok(())
        })?;
        array(&[rows, columns], items)
    }

    fn columns_at(mut self, expected: &[&Expected], at: &[usize]) -> Result<Vec<Value>> {
        let mut columns = Vec::with_capacity(expected.len());
        for expected in expected {
            self.no_complex(expected)?;
            columns.push(Buffer::with_capacity(expected.prim, self.most).map_err(|s| self.at(None).shortage(expected, s))?);
        }
        let mut rows = 0;
        if let Some(first) = expected.first() {
            self.each(first, &mut |place, record| {
                rows += 1;
                for ((column, expected), k) in columns.iter_mut().zip(expected).zip(at) {
                    column.push(scalar(place, record, *k, expected)?);
                }
                Ok(())
            })?;
        }
        columns.into_iter().map(|column| array(&[rows], column)).collect()
    }

    /// Visits the lines of values.
    fn each(&mut self, expected: &Expected, visit: &mut dyn FnMut(Place<'_>, &ByteRecord) -> Result<()>) -> Result<()> {
        if let Some(first) = self.first.take() {
            visit(self.at(first.position()), &first)?;
        }
        let mut record = ByteRecord::new();
        while self.next(&mut record, expected)? {
            visit(self.at(record.position()), &record)?;
        }
        Ok(())
    }
    fn next(&mut self, record: &mut ByteRecord, expected: &Expected) -> Result<bool> {
        self.reader.read_byte_record(record).map_err(|error| {
            let (place, code, message) = match error.kind() {
                csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
                    (self.at(pos.as_ref()), Code::IrregularData, format!("the line has {len} cells, the first has {expected_len}"))
                }
                _ => (self.at(error.position()), Code::MalformedData, format!("no table: {error}")),
            };
            place.problem(code, expected, message)
        })
    }

    fn no_complex(&self, expected: &Expected) -> Result<()> {
        if expected.prim.part().is_none() {
            return Ok(());
        }
        let message = format!("a {} has two parts, and a cell of a table is one number", expected.prim);
        Err(self.at(None).problem(Code::ElementType, expected, message))
    }
    fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|other| other == name)
    }
    fn missing(&self, name: &str, expected: &Expected) -> Box<crate::diag::Diagnostic> {
        let message = format!("there is no column `{}`", name.escape_debug());
        let mut problem = self.at(None).problem(Code::DataRank, &whole(expected, name), message);
        problem.notes.push(format!("the table has {}", self.shown()));
        problem
    }
    /// The names of the columns for messages, not too many.
    fn shown(&self) -> String {
        if self.names.is_empty() {
            return format!("no line of names, and {} columns", self.columns);
        }
        let names = self.names.iter().take(20).map(|name| format!("`{}`", name.escape_debug())).collect::<Vec<_>>().join(", ");
        if self.names.len() > 20 { format!("the columns {names}, ..") } else { format!("the columns {names}") }
    }
    fn at(&self, position: Option<&csv::Position>) -> Place<'a> {
        let line = position.map_or(1, |position| usize::try_from(position.line()).unwrap_or(usize::MAX));
        Place { source: self.source, at: At::Text { line, column: 1 } }
    }
}

/// What a field of this name is expected to be, called as the record that it is in: of a column, the message has the name already.
fn whole(expected: &Expected, name: &str) -> Expected {
    let what = expected.what.strip_suffix(name).and_then(|what| what.strip_suffix('.')).unwrap_or(&expected.what);
    Expected::new(what, expected.prim, expected.rank)
}

fn array(dims: &[usize], items: Buffer) -> Result<Value> {
    match Array::new(dims, items) {
        Some(array) => Ok(Value::Array(array)),
        None => crate::ice!(crate::base::Span::default(), "a table of {dims:?} has other elements"),
    }
}

/// What a cell looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cell {
    /// A number or a truth value.
    Value,
    /// Nothing, or a word that says so.
    Missing,
    /// Anything else.
    Name,
}
fn kind(cell: &[u8]) -> Cell {
    let Ok(text) = std::str::from_utf8(cell) else { return Cell::Name };
    match () {
        () if is_missing(text) => Cell::Missing,
        () if text.parse::<f64>().is_ok() || truth(text).is_some() => Cell::Value,
        () => Cell::Name,
    }
}
fn is_missing(text: &str) -> bool {
    ["", "NA", "N/A"].contains(&text)
}
fn truth(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

/// A cell as an element.
fn scalar(place: Place<'_>, record: &ByteRecord, k: usize, expected: &Expected) -> Result<Scalar> {
    let text = String::from_utf8_lossy(record.get(k).unwrap_or_default());
    let prim = expected.prim;
    let found = match prim {
        PrimType::F64 | PrimType::F16 if is_missing(&text) => Some(Scalar::from_f64(prim, f64::NAN)),
        PrimType::F32 if is_missing(&text) => Some(Scalar::F32(f32::NAN)),
        PrimType::F64 | PrimType::F16 => text.parse().ok().map(|x| Scalar::from_f64(prim, x)),
        PrimType::F32 => text.parse().ok().map(Scalar::F32),
        PrimType::Bool => truth(&text)
            .or(match &*text {
                "1" => Some(true),
                "0" => Some(false),
                _ => None,
            })
            .map(Scalar::Bool),
        PrimType::C64 | PrimType::C128 => None,
        PrimType::I8 | PrimType::I16 | PrimType::I32 | PrimType::I64 | PrimType::U8 | PrimType::U16 | PrimType::U32 | PrimType::U64 => {
            text.parse::<i128>().ok().map(|n| (n, Scalar::from_i128(prim, n))).filter(|(n, x)| x.as_i128() == Some(*n)).map(|(_, x)| x)
        }
    };
    found.ok_or_else(|| {
        let shown: String = text.chars().take(40).collect();
        place.problem(Code::ElementType, expected, format!("`{}` in column {} is no {prim}", shown.escape_debug(), k + 1))
    })
}

/// A result as a table: see [`rows`].
///
/// # Errors
/// Why it is no table.
pub fn write(value: &Value, delimiter: u8) -> std::result::Result<Vec<u8>, String> {
    let (rows, _) = rows(value)?;
    let mut writer = WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
    for row in rows {
        writer.write_record(row).map_err(|error| error.to_string())?;
    }
    writer.into_inner().map_err(|error| error.to_string())
}

/// The cells of a table: a vector is a column, a matrix a table without names; a tuple or record of vectors of the same length has a column for
/// each, with the names of fields in front if there are any, which the second result says.
///
/// # Errors
/// Why it is no table.
pub fn rows(value: &Value) -> std::result::Result<(Vec<Vec<String>>, bool), String> {
    let mut columns = Vec::new();
    let named = collect(value, String::new(), &mut columns);
    let count = match columns.as_slice() {
        [(_, Value::Array(array))] if array.dims().len() == 2 => array.dims()[0],
        all => {
            let vector = |(_, value): &(String, Value)| match value {
                Value::Array(array) if array.dims().len() == 1 => Some(array.count()),
                Value::Scalar(_) => Some(1),
                _ => None,
            };
            let counts: Option<Vec<usize>> = all.iter().map(vector).collect();
            let counts = counts.ok_or("a table holds a vector, a matrix, or vectors side by side in a tuple or record")?;
            match counts.as_slice() {
                [] => return Err("there is nothing in it".into()),
                [first, rest @ ..] if rest.iter().all(|count| count == first) => *first,
                _ => return Err(format!("its columns have different lengths: {counts:?}")),
            }
        }
    };
    let complex = |value: &Value| match value {
        Value::Array(array) => array.prim().part().is_some(),
        Value::Scalar(scalar) => scalar.prim().part().is_some(),
        Value::Tuple(_) | Value::Box(_) | Value::Cells(_) | Value::Sum(_) | Value::Opaque(_) => false,
    };
    if columns.iter().any(|(_, value)| complex(value)) {
        return Err("a complex number has two parts, and a cell of a table is one number".into());
    }
    if columns.iter().any(|(_, value)| value.dims().get(1) == Some(&0)) {
        return Err("a table has at least one column".into());
    }
    let mut rows = Vec::with_capacity(count + 1);
    if named {
        rows.push(columns.iter().map(|(name, _)| name.clone()).collect());
    }
    for row in 0..count {
        let mut line = Vec::with_capacity(columns.len());
        for (_, value) in &columns {
            match value {
                Value::Array(array) => {
                    let width = array.dims().get(1).copied().unwrap_or(1);
                    line.extend((0..width).filter_map(|k| array.at(row * width + k)).map(shown));
                }
                Value::Scalar(scalar) => line.push(shown(*scalar)),
                Value::Tuple(_) | Value::Box(_) | Value::Cells(_) | Value::Sum(_) | Value::Opaque(_) => {}
            }
        }
        rows.push(line);
    }
    Ok((rows, named))
}

/// What a value consists of, with the names of fields; whether all have names.
fn collect(value: &Value, name: String, out: &mut Vec<(String, Value)>) -> bool {
    match value {
        Value::Box(boxed) => collect(&boxed.value, name, out),
        Value::Tuple(tuple) => {
            let mut named = !tuple.parts.is_empty();
            for (k, part) in tuple.parts.iter().enumerate() {
                let label = tuple.labels.as_ref().and_then(|labels| labels.get(k));
                let label = label.map_or(k.to_string(), |label| label.to_string());
                let inner = if name.is_empty() { label } else { format!("{name}.{label}") };
                named &= tuple.labels.is_some() & (collect(part, inner, out) | !matches!(part, Value::Tuple(_)));
            }
            named
        }
        _ => {
            out.push((name, value.clone()));
            false
        }
    }
}

/// A number so that it is read back as the same.
fn shown(scalar: Scalar) -> String {
    match scalar {
        Scalar::F16(x) => format!("{x:?}"),
        Scalar::F32(x) => format!("{x:?}"),
        Scalar::F64(x) => format!("{x:?}"),
        Scalar::Bool(x) => x.to_string(),
        other => {
            let text = other.to_string();
            text.trim_end_matches(&other.prim().to_string()).to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Symbol;

    fn table<'a>(text: &'a str) -> Result<Table<'a>> {
        Table::new("`t.csv`", text.as_bytes(), b',', "argument `x`")
    }
    fn code(result: Result<Value>) -> (&'static str, Vec<String>) {
        result.map_or_else(|problem| (problem.code.number(), problem.notes.clone()), |value| panic!("{value:?}"))
    }

    #[test]
    fn tables_are_vectors_matrices_and_records() {
        let (f64s, i64s) = (Expected::new("argument `x`", PrimType::F64, 1), Expected::new("argument `x`", PrimType::I64, 1));
        let matrix = Expected::new("argument `x`", PrimType::F64, 2);
        let read = |text: &str| table(text).and_then(|table| table.vector(&f64s)).map(|value| format!("{value:?}"));
        assert_eq!(read("x\n1\n2.5\n").ok(), Some(format!("{:?}", Value::vector(vec![1.0, 2.5]))));
        assert_eq!(read("\u{feff}1\r\n-inf\r\n").ok(), Some(format!("{:?}", Value::vector(vec![1.0, f64::NEG_INFINITY]))));
        assert_eq!(read("").ok(), Some(format!("{:?}", Value::vector(Vec::<f64>::new()))));
        let named = "a,\"b, c\"\n1, 2\n3,\n";
        let value = table(named).and_then(|table| table.matrix(&matrix)).expect("a matrix");
        assert_eq!(value.dims(), [2, 2]);
        assert!(value.as_array().and_then(|array| array.at(3)).is_some_and(|x| matches!(x, Scalar::F64(x) if x.is_nan())));
        let columns = table(named).and_then(|table| table.record(&[(Some("b, c"), &f64s), (Some("a"), &i64s)])).expect("two columns");
        assert_eq!(format!("{:?}", columns[1]), format!("{:?}", Value::vector(vec![1i64, 3])));
        assert_eq!(
            format!("{:?}", table("1,2\n").and_then(|table| table.column("1", &i64s)).ok()),
            format!("{:?}", Some(Value::vector(vec![2i64])))
        );
        // No row and two columns.
        assert_eq!(table("a,b\n").and_then(|table| table.matrix(&matrix)).expect("an empty matrix").dims(), [0, 2]);
    }

    #[test]
    fn what_does_not_fit_is_named_with_its_line() {
        let bytes = Expected::new("argument `x`", PrimType::U8, 1);
        let line = |n: usize| vec![format!("in `t.csv`, line {n}, column 1")];
        assert_eq!(code(table("x\n1\n256\n").and_then(|table| table.vector(&bytes))), ("E0605", line(3)));
        assert_eq!(code(table("x\n1\n\"\"\n").and_then(|table| table.vector(&bytes))), ("E0605", line(3)));
        assert_eq!(code(table("a,b\n1,2\n3\n").and_then(|table| table.column("a", &bytes))).0, "E0608");
        assert_eq!(code(table("a,b\n1,2\n").and_then(|table| table.vector(&bytes))).0, "E0606");
        assert_eq!(code(table("a,b\n1,2\n").and_then(|table| table.column("c", &bytes))).0, "E0606");
        assert_eq!(code(table("x\n1\n\u{1F600}\n").and_then(|table| table.vector(&bytes))).0, "E0605");
        // What nobody can say is not guessed.
        let record = |text: &str| {
            table(text).and_then(|table| table.record(&[(Some("b"), &bytes), (Some("a"), &bytes)])).map(|mut all| all.remove(0))
        };
        assert_eq!(code(record("1,2\n3,4\n")).0, "E0606");
        assert_eq!(code(table("1,2,3x\n4,5,6\n").and_then(|table| table.column("0", &bytes))), ("E0604", line(1)));
        assert_eq!(code(table("\"x\n1\n2\n").and_then(|table| table.vector(&bytes))).0, "E0604");
        assert_eq!(code(table("x,x\n1,2\n").and_then(|table| table.column("x", &bytes))).0, "E0606");
        let complex = Expected::new("argument `x`", PrimType::C128, 1);
        assert_eq!(code(table("1+2j\n").and_then(|table| table.vector(&complex))).0, "E0605");
    }

    #[test]
    fn what_is_written_is_read_back() {
        let numbers = vec![0.1, -0.0, f64::NAN, f64::INFINITY, 1e300, 5e-324];
        let text = write(&Value::vector(numbers.clone()), b',').expect("a column");
        let expected = Expected::new("argument `x`", PrimType::F64, 1);
        let back = Table::new("`t.csv`", &text, b',', "argument `x`").and_then(|table| table.vector(&expected)).expect("a column");
        let bits = |x: &f64| x.to_bits();
        assert_eq!(
            back.as_array().and_then(|array| array.items::<f64>()).map(|items| items.iter().map(bits).collect::<Vec<_>>()),
            Some(numbers.iter().map(bits).collect())
        );
        let labels = [Symbol::new("a"), Symbol::new("b,c")];
        let record =
            |ys: Vec<bool>| Value::tuples(Vec::new(), Some(labels.to_vec().into()), vec![Value::vector(vec![1u8, 2]), Value::vector(ys)]);
        assert_eq!(
            write(&record(vec![true, false]), b',').map(|text| String::from_utf8_lossy(&text).into_owned()).as_deref(),
            Ok("a,\"b,c\"\n1,true\n2,false\n")
        );
        assert_eq!(write(&record(vec![true]), b','), Err("its columns have different lengths: [2, 1]".to_string()));
    }
}
