use remora::base::*;
use remora::*;
struct Disk;
impl resolve::Loader for Disk {
    fn load(&self, p: &str) -> Result<String, String> {
        std::fs::read_to_string(p).map_err(|e| e.to_string())
    }
}
fn main() {
    base::with_big_stack(|| {
        let path = std::env::args().nth(1).unwrap();
        let quiet = std::env::args().nth(2).is_some();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut sources = SourceMap::default();
        let root = sources.add(path, text);
        let (mut program, diags) = resolve::load(&mut sources, &Disk, &[root]);
        let show = |sources: &SourceMap, d: &diag::Diagnostic| {
            println!("{} {}: {}", d.code, d.labels.first().map_or(String::new(), |l| sources.place(l.span)), d.message);
            for l in &d.labels {
                println!("    {} : {}", sources.place(l.span), l.text);
            }
            for n in &d.notes {
                println!("    = {n}");
            }
            for h in &d.help {
                println!("    help {h}");
            }
            for r in &d.readings {
                println!("    reading [{}] {}", r.cost, r.fragment);
            }
        };
        for d in &diags {
            show(&sources, d);
        }
        let roots: Vec<_> = program.defs.iter().filter(|(_, d)| !d.stdlib || std::env::var("ALL").is_ok()).map(|(i, _)| i).collect();
        let mut tables = ir::tables::Tables::default();
        let mut schemes = elaborate::Schemes::new(&program);
        let mut core = ir::core::Program::default();
        for def in resolve::reachable(&program, roots) {
            let inferred = match infer::infer_def(&mut program, &tables, def) {
                Ok(i) => i,
                Err(es) => {
                    for e in es {
                        show(&sources, &e)
                    }
                    continue;
                }
            };
            match ambiguity::decide(&program, &sources, &inferred, &|_| true) {
                Ok(v) => inferred.fill(&v.values, &mut tables),
                Err(es) => {
                    for e in es {
                        show(&sources, &e)
                    }
                    continue;
                }
            }
            match elaborate::elaborate(&program, &tables, &mut schemes, def) {
                Ok(ds) => {
                    let s = schemes.get(def).unwrap();
                    if !quiet && !program.defs[def].stdlib {
                        println!("{} : {}", program.defs[def].name, elaborate::show_type(&s.ty));
                        for d in &ds {
                            println!("{}", ir::core::print::define(d));
                        }
                    }
                    core.defs.extend(ds);
                }
                Err(e) => {
                    print!("[{}] ", program.defs[def].name);
                    show(&sources, &e)
                }
            }
        }
        if let Err(es) = ir::core::check::check(&core) {
            for e in es.iter().take(20) {
                println!("CORE {:?}: {} {}", e.def, sources.place(e.span), e.message);
            }
        }
    })
}
