//! Answers dalembert over standard input and output. It needs the standard library alone; main.rs shows the use.
//!
//! What your code prints to standard output goes to standard error, because standard output is for the protocol. A panic fails
//! one request. Numbers are exchanged as little-endian float64, which no conversion rounds.
#![allow(dead_code)]

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::process::ExitCode;

/// The version of the protocol.
const VERSION: u32 = 1;

pub type Vector = [f64; 3];
/// 3x3, row by row.
pub type Matrix = [f64; 9];

/// Why a request is not answered.
pub enum Refusal {
    /// Your code does not have this. It is no failure.
    Unsupported(String),
    /// Your code failed.
    Failed(String),
}

/// `return unsupported("why")` from `load` or from a quantity.
pub fn unsupported<T>(reason: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Unsupported(reason.into()))
}

impl<E: std::error::Error> From<E> for Refusal {
    fn from(error: E) -> Self {
        Refusal::Failed(error.to_string())
    }
}

/// What a quantity's function may return: nothing, or a `Result` that can be a refusal.
pub trait Outcome {
    fn outcome(self) -> Result<(), Refusal>;
}

impl Outcome for () {
    fn outcome(self) -> Result<(), Refusal> {
        Ok(())
    }
}

impl Outcome for Result<(), Refusal> {
    fn outcome(self) -> Result<(), Refusal> {
        self
    }
}

/// A tree of bodies, parents first. Entry i of every list belongs to body i and to the joint that carries it.
///
/// A joint's frame sits in the parent body's frame, and a body's frame coincides with its joint's frame where q is zero.
pub struct Mechanism {
    pub name: String,
    /// What does not move.
    pub root: String,
    pub bodies: Vec<String>,
    pub joints: Vec<String>,
    pub kinds: Vec<String>,
    /// The index of the parent body, -1 for the root.
    pub parents: Vec<i64>,
    /// Where the joint's numbers begin in q and in v.
    pub q_start: Vec<usize>,
    pub v_start: Vec<usize>,
    /// The lengths of q and of v.
    pub nq: usize,
    pub nv: usize,
    /// All numbers by name, row by row.
    pub arrays: HashMap<String, Vec<f64>>,
    /// A URDF file, if your program asks for it and URDF can describe the mechanism.
    pub urdf: Option<Urdf>,
    /// If your program has a quantity of constraints.
    pub constraints: Vec<Constraint>,
}

/// Two frames that coincide in some directions. The array "first_rotations" turns from the axes of the first frame of every
/// constraint to those of its body, "first_translations" has its origin in the frame of its body (m); likewise the second ones.
pub struct Constraint {
    pub name: String,
    /// The index of the body that has the frame, -1 for the root.
    pub first: i64,
    pub second: i64,
    /// "wx" to "vz": its rows of the constraint Jacobian, in this order.
    pub directions: Vec<String>,
}

pub struct Urdf {
    pub text: String,
    /// Whether it is the file that was read, and not one that was written.
    pub is_original: bool,
    /// Whether the file's root link is on a free joint, which the file does not say.
    pub free_base: bool,
}

impl Mechanism {
    /// The parent's index; None for the root.
    pub fn parent(&self, i: usize) -> Option<usize> {
        usize::try_from(self.parents[i]).ok()
    }
    /// A unit vector, in the joint's frame.
    pub fn axis(&self, i: usize) -> Vector {
        self.at("axes", i)
    }
    /// From the joint's frame to the parent's.
    pub fn rotation(&self, i: usize) -> Matrix {
        self.at("rotations", i)
    }
    /// The joint's origin in the parent's frame (m).
    pub fn translation(&self, i: usize) -> Vector {
        self.at("translations", i)
    }
    /// In kg.
    pub fn mass(&self, i: usize) -> f64 {
        self.arrays["masses"][i]
    }
    /// The centre of mass in the body's frame (m).
    pub fn com(&self, i: usize) -> Vector {
        self.at("coms", i)
    }
    /// About the centre of mass, in the body's frame (kg m^2).
    pub fn inertia(&self, i: usize) -> Matrix {
        self.at("inertias", i)
    }
    /// In kg m^2 or kg.
    pub fn armature(&self, i: usize) -> f64 {
        self.arrays["armature"][i]
    }
    /// In N m s or N s/m.
    pub fn damping(&self, i: usize) -> f64 {
        self.arrays["damping"][i]
    }
    /// In the root's frame (m/s^2).
    pub fn gravity(&self) -> Vector {
        self.at("gravity", 0)
    }
    /// The twist [w; v] of component k of v, in the joint's frame.
    pub fn screw(&self, k: usize) -> [f64; 6] {
        self.at("screws", k)
    }
    fn at<const N: usize>(&self, array: &str, i: usize) -> [f64; N] {
        std::array::from_fn(|k| self.arrays[array][N * i + k])
    }
}

/// One state. What the quantity does not take is empty.
#[derive(Default)]
pub struct State<'a> {
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub a: &'a [f64],
    pub tau: &'a [f64],
    /// bodies x 6: the forces [n; f] on the bodies.
    pub f: &'a [f64],
    /// The velocity before an impact.
    pub v_minus: &'a [f64],
    /// The velocity along which q is integrated.
    pub dv: &'a [f64],
    /// A second position.
    pub to: &'a [f64],
}

type JointOrder<Model> = Box<dyn Fn(&Model) -> Vec<String>>;
type Load<Model> = Box<dyn Fn(&Mechanism) -> Result<Model, Refusal>>;
type Quantity<Model> = Box<dyn Fn(&mut Model, &State, &mut [f64]) -> Result<(), Refusal>>;

/// Your program. `Model` is what your code makes of a mechanism.
pub struct Program<Model> {
    /// The kinds of joints that your code has; all, if this is empty.
    pub joints: Vec<&'static str>,
    /// The conventions that differ from dalembert's, such as ("quaternion", "wxyz").
    pub conventions: Vec<(&'static str, &'static str)>,
    /// Whether every mechanism shall come with a URDF file.
    pub wants_urdf: bool,
    /// For code that knows one robot: its name or the path of its URDF file; "" for the mechanism of the run.
    pub robot: Option<&'static str>,
    /// The precision of your code, if it is not float64: "float32", "float16", "bfloat16" or fixed point, as "q15.16".
    pub precision: Option<&'static str>,
    /// The names of the joints in your code's order, if it has one of its own.
    pub joint_order: Option<JointOrder<Model>>,
    name: &'static str,
    version: &'static str,
    load: Load<Model>,
    quantities: BTreeMap<&'static str, Quantity<Model>>,
    loaded: HashMap<u64, Model>,
}

/// A reply without its id, and the numbers that follow it.
type Reply = (String, Vec<f64>);

impl<Model> Program<Model> {
    pub fn new(
        name: &'static str,
        version: &'static str,
        load: impl Fn(&Mechanism) -> Result<Model, Refusal> + 'static,
    ) -> Self {
        Program {
            joints: Vec::new(),
            conventions: Vec::new(),
            wants_urdf: false,
            robot: None,
            precision: None,
            joint_order: None,
            name,
            version,
            load: Box::new(load),
            quantities: BTreeMap::new(),
            loaded: HashMap::new(),
        }
    }

    /// Offer a quantity: your function of one state. The answer is zero at first; write it row by row.
    pub fn quantity<O: Outcome>(
        &mut self,
        name: &'static str,
        function: impl Fn(&mut Model, &State, &mut [f64]) -> O + 'static,
    ) {
        self.quantities.insert(name, Box::new(move |model, state, answer| function(model, state, answer).outcome()));
    }

    /// Answer requests until dalembert ends. Return this from main.
    pub fn serve(mut self) -> ExitCode {
        match self.converse() {
            Ok(()) => ExitCode::SUCCESS,
            Err(why) => {
                eprintln!("{}: standard input has a line that is no request of dalembert: {why}", self.name);
                ExitCode::from(2)
            }
        }
    }

    fn converse(&mut self) -> io::Result<()> {
        let mut input = BufReader::new(io::stdin());
        let mut output = BufWriter::new(taken_output()?);
        let mut line = Vec::new();
        loop {
            line.clear();
            if input.by_ref().take(LONGEST).read_until(b'\n', &mut line)? == 0 {
                return Ok(());
            }
            if line.last() != Some(&b'\n') {
                return Err(broken("it has no end, or is too long"));
            }
            let request = Reader::document(&line)?;
            let arrays = read_arrays(&request, &mut input)?;
            let doing = request.get("do")?.text()?;
            if doing == "end" {
                return Ok(());
            }
            let id = request.get("id")?.size()?;
            let asked = AssertUnwindSafe(|| self.answered(doing, &request, arrays));
            let (reply, numbers) = match catch_unwind(asked) {
                Ok(Ok(reply)) => reply,
                Ok(Err(Refusal::Unsupported(reason))) => (format!(",\"unsupported\":{}", quoted(&cut(&reason))), Vec::new()),
                Ok(Err(Refusal::Failed(why))) => (format!(",\"error\":{}", quoted(&cut(&why))), Vec::new()),
                Err(panic) => (format!(",\"error\":{}", quoted(&cut(&said(&*panic)))), Vec::new()),
            };
            writeln!(output, "{{\"id\":{id}{reply}}}")?;
            for number in numbers {
                output.write_all(&number.to_le_bytes())?;
            }
            output.flush()?;
        }
    }

    fn answered(&mut self, doing: &str, request: &Value, arrays: Arrays) -> Result<Reply, Refusal> {
        match doing {
            "hello" => Ok((self.hello(), Vec::new())),
            "load" => self.load(request, arrays),
            "evaluate" => self.evaluate(request, &arrays),
            "forget" => {
                self.loaded.remove(&request.get("model")?.size()?);
                Ok((String::new(), Vec::new()))
            }
            other => unsupported(format!("there is no request called {other}")),
        }
    }

    fn hello(&self) -> String {
        let quantities = quoted_list(self.quantities.keys());
        let conventions: Vec<String> = self.conventions.iter().map(|(n, v)| format!("{}:{}", quoted(n), quoted(v))).collect();
        let joints = if self.joints.is_empty() { String::new() } else { format!(",\"joints\":{}", quoted_list(&self.joints)) };
        let member = |name, value: Option<&str>| value.map_or(String::new(), |text| format!(",\"{name}\":{}", quoted(text)));
        let (robot, precision) = (member("robot", self.robot), member("precision", self.precision));
        format!(
            ",\"dalembert\":{VERSION},\"name\":{},\"version\":{},\"language\":\"Rust\",\"numbers\":\"raw\",\"urdf\":{},\
             \"quantities\":{quantities},\"conventions\":{{{}}}{joints}{robot}{precision}",
            quoted(self.name),
            quoted(self.version),
            self.wants_urdf,
            conventions.join(",")
        )
    }

    fn load(&mut self, request: &Value, arrays: Arrays) -> Result<Reply, Refusal> {
        let mechanism = mechanism(request.get("mechanism")?, arrays)?;
        if !self.joints.is_empty() {
            if let Some(kind) = mechanism.kinds.iter().find(|kind| !self.joints.contains(&kind.as_str())) {
                return unsupported(format!("it has no {kind} joint"));
            }
        }
        let model = (self.load)(&mechanism)?;
        let order = self.joint_order.as_ref().map(|order| format!(",\"joints\":{}", quoted_list(order(&model))));
        self.loaded.insert(request.get("model")?.size()?, model);
        Ok((order.unwrap_or_default(), Vec::new()))
    }

    fn evaluate(&mut self, request: &Value, arrays: &Arrays) -> Result<Reply, Refusal> {
        let name = request.get("quantity")?.text()?;
        let Some(function) = self.quantities.get(name) else { return unsupported(format!("it has no {name}")) };
        let Some(model) = self.loaded.get_mut(&request.get("model")?.size()?) else {
            return Err(Refusal::Failed("no such model is loaded".into()));
        };
        let states = request.get("states")?.size()? as usize;
        let shape = request.get("shape")?.sizes()?;
        let mut answer = vec![0.0; product(&shape)?];
        let size = answer.len().checked_div(states).unwrap_or(0);
        for k in 0..states {
            let row = |name: &str| {
                let numbers = arrays.iter().find(|(own, _)| own == name).map_or(&[][..], |(_, numbers)| numbers);
                &numbers[k * (numbers.len() / states)..(k + 1) * (numbers.len() / states)]
            };
            let state = State {
                q: row("q"),
                v: row("v"),
                a: row("a"),
                tau: row("tau"),
                f: row("f"),
                v_minus: row("v_minus"),
                dv: row("dv"),
                to: row("to"),
            };
            function(model, &state, &mut answer[k * size..(k + 1) * size])?;
        }
        let dimensions: Vec<String> = shape.iter().map(usize::to_string).collect();
        Ok((format!(",\"arrays\":[{{\"name\":{},\"shape\":[{}]}}]", quoted(name), dimensions.join(",")), answer))
    }
}

type Arrays = Vec<(String, Vec<f64>)>;

const LONGEST: u64 = 1 << 28;
const MOST: usize = u32::MAX as usize / 8;

fn broken(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// Standard output, for the protocol alone: from now on, what is printed goes to standard error.
#[cfg(unix)]
fn taken_output() -> io::Result<File> {
    use std::os::fd::FromRawFd;
    extern "C" {
        fn dup(file: i32) -> i32;
        fn dup2(file: i32, other: i32) -> i32;
    }
    // SAFETY: the copy belongs to this function alone, and is checked before it is used.
    unsafe {
        let copy = dup(1);
        if copy < 0 || dup2(2, 1) < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(File::from_raw_fd(copy))
    }
}

/// Elsewhere your code must not print to standard output.
#[cfg(not(unix))]
fn taken_output() -> io::Result<io::Stdout> {
    Ok(io::stdout())
}

fn read_arrays(request: &Value, input: &mut impl Read) -> io::Result<Arrays> {
    let mut all = Vec::new();
    for entry in request.find("arrays").map_or(&[][..], Value::items) {
        let mut bytes = vec![0; 8 * product(&entry.get("shape")?.sizes()?)?];
        input.read_exact(&mut bytes)?;
        let numbers = bytes.chunks_exact(8).map(|chunk| f64::from_le_bytes(chunk.try_into().unwrap())).collect();
        all.push((entry.get("name")?.text()?.to_string(), numbers));
    }
    Ok(all)
}

fn product(shape: &[usize]) -> io::Result<usize> {
    let count = shape.iter().try_fold(1_usize, |count, n| count.checked_mul(*n));
    count.filter(|count| *count <= MOST).ok_or_else(|| broken("it announces too many numbers"))
}

fn mechanism(header: &Value, arrays: Arrays) -> io::Result<Mechanism> {
    let urdf = match header.find("urdf") {
        None => None,
        Some(urdf) => Some(Urdf {
            text: urdf.get("text")?.text()?.to_string(),
            is_original: matches!(urdf.get("original")?, Value::Boolean(true)),
            free_base: matches!(urdf.get("free_base")?, Value::Boolean(true)),
        }),
    };
    Ok(Mechanism {
        name: header.get("name")?.text()?.to_string(),
        root: header.get("root")?.text()?.to_string(),
        bodies: header.get("bodies")?.texts()?,
        joints: header.get("joints")?.texts()?,
        kinds: header.get("kinds")?.texts()?,
        parents: header.get("parents")?.items().iter().map(Value::integer).collect::<io::Result<_>>()?,
        q_start: header.get("q_start")?.sizes()?,
        v_start: header.get("v_start")?.sizes()?,
        nq: header.get("nq")?.size()? as usize,
        nv: header.get("nv")?.size()? as usize,
        arrays: arrays.into_iter().collect(),
        urdf,
        constraints: header.find("constraints").map_or(&[][..], Value::items).iter().map(constraint).collect::<io::Result<_>>()?,
    })
}

fn constraint(one: &Value) -> io::Result<Constraint> {
    Ok(Constraint {
        name: one.get("name")?.text()?.to_string(),
        first: one.get("first")?.integer()?,
        second: one.get("second")?.integer()?,
        directions: one.get("directions")?.texts()?,
    })
}

/// What a panic said.
fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
    format!("panic: {}", text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default())
}

fn cut(text: &str) -> String {
    text.chars().take(4000).collect()
}

fn quoted(text: &str) -> String {
    let mut json = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' | '\0'..='\x1f' => json += &format!("\\u{:04x}", c as u32),
            _ => json.push(c),
        }
    }
    json + "\""
}

fn quoted_list(names: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let all: Vec<String> = names.into_iter().map(|name| quoted(name.as_ref())).collect();
    format!("[{}]", all.join(","))
}

/// A JSON value. Numbers stay text: the protocol has whole numbers here, and all others come as bytes.
enum Value {
    Null,
    Boolean(bool),
    Number(String),
    Text(String),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
}

impl Value {
    fn find(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Object(members) => members.iter().find(|(own, _)| own == name).map(|(_, value)| value),
            _ => None,
        }
    }
    fn get(&self, name: &str) -> io::Result<&Value> {
        self.find(name).ok_or_else(|| broken(&format!("it lacks {name:?}")))
    }
    fn items(&self) -> &[Value] {
        if let Value::List(items) = self { items } else { &[] }
    }
    fn text(&self) -> io::Result<&str> {
        if let Value::Text(text) = self { Ok(text) } else { Err(broken("a text is expected where there is none")) }
    }
    fn integer(&self) -> io::Result<i64> {
        let whole = if let Value::Number(text) = self { text.parse().ok() } else { None };
        whole.ok_or_else(|| broken("a whole number is expected"))
    }
    fn size(&self) -> io::Result<u64> {
        u64::try_from(self.integer()?).map_err(|_| broken("a number is negative"))
    }
    fn texts(&self) -> io::Result<Vec<String>> {
        self.items().iter().map(|item| item.text().map(str::to_string)).collect()
    }
    fn sizes(&self) -> io::Result<Vec<usize>> {
        self.items().iter().map(|item| item.size().map(|n| n as usize)).collect()
    }
}

/// Reads one JSON text, by the letter of RFC 8259.
struct Reader<'a> {
    line: &'a [u8],
    at: usize,
}

const DEEPEST: usize = 64;

impl Reader<'_> {
    fn document(line: &[u8]) -> io::Result<Value> {
        let mut reader = Reader { line, at: 0 };
        let value = reader.value(0)?;
        reader.skip();
        if reader.at == line.len() { Ok(value) } else { Err(reader.wrong()) }
    }

    fn wrong(&self) -> io::Error {
        broken(&format!("it is not JSON at byte {}", self.at))
    }

    fn peek(&self) -> Option<u8> {
        self.line.get(self.at).copied()
    }

    fn take(&mut self, c: u8) -> bool {
        let there = self.peek() == Some(c);
        self.at += usize::from(there);
        there
    }

    fn skip(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn word(&mut self, letters: &[u8], value: Value) -> io::Result<Value> {
        if letters.iter().all(|c| self.take(*c)) { Ok(value) } else { Err(self.wrong()) }
    }

    fn value(&mut self, depth: usize) -> io::Result<Value> {
        if depth > DEEPEST {
            return Err(self.wrong());
        }
        self.skip();
        match self.peek() {
            Some(b'{') => {
                let mut members = Vec::new();
                self.list(b'}', |own| {
                    own.skip();
                    let name = own.string()?;
                    own.skip();
                    if !own.take(b':') {
                        return Err(own.wrong());
                    }
                    members.push((name, own.value(depth + 1)?));
                    Ok(())
                })?;
                Ok(Value::Object(members))
            }
            Some(b'[') => {
                let mut items = Vec::new();
                self.list(b']', |own| own.value(depth + 1).map(|item| items.push(item)))?;
                Ok(Value::List(items))
            }
            Some(b'"') => self.string().map(Value::Text),
            Some(b't') => self.word(b"true", Value::Boolean(true)),
            Some(b'f') => self.word(b"false", Value::Boolean(false)),
            Some(b'n') => self.word(b"null", Value::Null),
            _ => self.number().map(Value::Number),
        }
    }

    fn list(&mut self, close: u8, mut item: impl FnMut(&mut Self) -> io::Result<()>) -> io::Result<()> {
        self.at += 1;
        self.skip();
        if self.take(close) {
            return Ok(());
        }
        loop {
            item(self)?;
            self.skip();
            if !self.take(b',') {
                return if self.take(close) { Ok(()) } else { Err(self.wrong()) };
            }
        }
    }

    fn digits(&mut self) -> io::Result<()> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(self.wrong()) }
    }

    fn number(&mut self) -> io::Result<String> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        Ok(String::from_utf8_lossy(&self.line[start..self.at]).into_owned())
    }

    fn hex4(&mut self) -> io::Result<u32> {
        let digits = self.line.get(self.at..self.at + 4).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok()).ok_or_else(|| self.wrong())?;
        let code = u32::from_str_radix(digits, 16).map_err(|_| self.wrong())?;
        self.at += 4;
        Ok(code)
    }

    fn string(&mut self) -> io::Result<String> {
        if !self.take(b'"') {
            return Err(self.wrong());
        }
        let mut text = Vec::new();
        loop {
            let c = self.peek().filter(|c| *c >= 0x20).ok_or_else(|| self.wrong())?;
            self.at += 1;
            match c {
                b'"' => break,
                b'\\' => {
                    let c = self.escaped()?;
                    text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                _ => text.push(c),
            }
        }
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// The character after a backslash. Half of a surrogate pair is no character, and becomes U+FFFD.
    fn escaped(&mut self) -> io::Result<char> {
        let letter = self.peek();
        self.at += 1;
        Ok(match letter {
            Some(c @ (b'"' | b'\\' | b'/')) => c as char,
            Some(b'b') => '\x08',
            Some(b'f') => '\x0c',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let high = self.hex4()?;
                let before = self.at;
                if (0xD800..0xDC00).contains(&high) && self.take(b'\\') && self.take(b'u') {
                    let low = self.hex4()?;
                    if (0xDC00..0xE000).contains(&low) {
                        let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                        return Ok(char::from_u32(code).unwrap_or('\u{fffd}'));
                    }
                }
                self.at = before;
                char::from_u32(high).unwrap_or('\u{fffd}')
            }
            _ => return Err(self.wrong()),
        })
    }
}
