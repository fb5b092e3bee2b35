#![allow(dead_code)]
use std::{collections::HashMap, fmt::{self, Display}};

#[derive(Debug, Clone)]
pub enum Shape<'a, const N: usize = 3> { Circle { r: f64 }, Named(&'a str), Unit }

pub trait Area { type Out: Display; const K: u8 = 0; async fn area(&self) -> Self::Out; }

impl<'a, T> fmt::Display for Wrapper<'a, T> where T: Display + ?Sized, for<'b> &'b T: Copy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "{:>5}", self.0) }
}

macro_rules! sum { ($($x:expr),* $(,)?) => { 0 $(+ $x)* }; }

pub(crate) async unsafe fn run(mut xs: Vec<u32>) -> Result<impl Iterator<Item = u32>, Box<dyn std::error::Error>> {
    let Some(first) = xs.first().copied() else { return Err("empty".into()) };
    let total: u32 = xs.iter().map(|&x| x).filter(|x| matches!(x, 1..=9 | 20)).sum::<u32>();
    if let Some(x) = xs.pop() && x > 1 { println!("{x:?} {first}"); }
    'outer: loop { while let [a, .., b] = xs[..] { if a == b { break 'outer; } } }
    let s = r#"raw "text""#; let b = b'\n'; let c = 'c'; let l = c"x";
    let y = match total { n @ 0..=5 if n > 2 => n, _ => unreachable!() };
    task::spawn(async move { y? + s.len().await }).await?;
    Ok(xs.into_iter())
}
