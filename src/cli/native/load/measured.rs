//! What programs that measure themselves have measured.

use super::{Context, Program, broken};
use crate::diag::Diagnostic;
use crate::driver::profile::Row;

impl Program {
    /// A function of the run-time support that only programs which measure themselves have.
    ///
    /// # Safety
    /// It has this type.
    unsafe fn measuring<F: Copy>(&self, name: &str) -> Result<F, Box<Diagnostic>> {
        // SAFETY: see above.
        unsafe { self.library.get::<F>(name.as_bytes()) }.map(|function| *function).map_err(|error| broken(name, &error.to_string()))
    }

    /// Forgets what was measured before.
    ///
    /// # Errors
    /// E0616: the program does not measure itself.
    pub fn forget_measurements(&self) -> Result<(), Box<Diagnostic>> {
        // SAFETY: the run-time support declares the function with this type; the context is that of the library.
        unsafe { self.measuring::<unsafe extern "C" fn(Context)>("remora_profile_reset")?(self.context) }
        Ok(())
    }

    /// What was measured at each of the sites, of which there are so many.
    ///
    /// # Errors
    /// E0616: the program does not measure itself.
    pub fn measurements(&self, sites: usize) -> Result<Vec<Row>, Box<Diagnostic>> {
        let mut out = vec![Row::default(); sites];
        // SAFETY: as above; the function writes a row for each site.
        unsafe {
            let read = self.measuring::<unsafe extern "C" fn(Context, *mut i64)>("remora_profile_read")?;
            read(self.context, out.as_mut_ptr().cast());
        }
        Ok(out)
    }

    /// How many nanoseconds a site takes for being measured, and how many of them are taken for its own. What was measured before is lost.
    ///
    /// # Errors
    /// E0616: the program does not measure itself.
    pub fn cost_of_measuring(&self) -> Result<[f64; 2], Box<Diagnostic>> {
        let mut out = [0.0; 2];
        // SAFETY: as above; the function writes two numbers.
        unsafe { self.measuring::<unsafe extern "C" fn(Context, *mut f64)>("remora_profile_cost")?(self.context, out.as_mut_ptr()) }
        Ok(out)
    }
}
