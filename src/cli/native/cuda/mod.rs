//! CUDA devices. The host plan of a program is compiled and loaded like programs for processors, and so is `driver.c`, which does what the
//! plan asks of the device; kernels are compiled by NVRTC.
//!
//! Neither the driver nor NVRTC is linked: they are looked for when a program needs them, and what is missing is said.

mod device;
mod kernels;
mod nvrtc;

pub use device::{Device, library};
pub use kernels::image;

use super::load;
use crate::diag::Diagnostic;
use device::Refusal;

/// The device with the kernels of a text, or of an image that was made of it before, where the driver takes that.
///
/// # Errors
/// E0806: no NVRTC, E0807: NVRTC refuses the kernels, E0804: too old a driver, E0810: the device fails.
pub fn load(mut device: Device, text: &str, image: Option<&[u8]>) -> Result<Box<dyn load::Device>, Box<Diagnostic>> {
    match image.map(|image| device.load(image)) {
        Some(Ok(())) => return Ok(Box::new(device)),
        Some(Err(Refusal::Bad(diagnostic))) => return Err(diagnostic),
        Some(Err(Refusal::Unfit(_))) | None => {}
    }
    let code = kernels::compile(text, device.architecture())?;
    if device.load(&code.bytes).is_err() {
        // Something may be wrong with the entry of the cache.
        code.discard();
        let code = kernels::compile(text, device.architecture())?;
        device.load(&code.bytes).map_err(|(Refusal::Unfit(why) | Refusal::Bad(why))| why)?;
    }
    Ok(Box::new(device))
}

/// The version of NVRTC and the newest devices that it compiles for, or why it cannot be used.
pub fn nvrtc_version() -> Result<String, String> {
    let nvrtc = nvrtc::nvrtc()?;
    let newest = nvrtc.architectures().into_iter().max().map(|newest| format!(", up to sm_{newest}"));
    Ok(nvrtc.version() + &newest.unwrap_or_default())
}
