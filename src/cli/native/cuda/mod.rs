//! Devices of CUDA. The host plan of a program is compiled and loaded like programs for processors; its kernels by NVRTC; what the plan
//! asks of the device goes to the driver.
//!
//! Neither the driver nor NVRTC is linked: they are looked for when a program needs them, and what is missing is said.

mod device;
mod kernels;
mod nvrtc;

pub use kernels::image;

use super::Device;
use crate::base::Code;
use crate::diag::Diagnostic;

/// The CUDA device of this machine with this number.
///
/// # Errors
/// E0803: no driver, E0804: too old a driver, E0805: no device, E0810: the device fails.
pub fn open(number: u32) -> Result<device::Device, Box<Diagnostic>> {
    device::Device::open(number)
}

/// The device with the kernels of a text, or of an image that was made of it before, where the driver takes that.
///
/// # Errors
/// E0806: no NVRTC, E0807: NVRTC refuses the kernels, E0804: too old a driver, E0810: the device fails.
pub fn load(mut device: device::Device, text: &str, image: Option<&[u8]>) -> Result<Box<dyn Device>, Box<Diagnostic>> {
    if let Some(image) = image {
        match device.load(image) {
            // It is for another device, or newer than the driver.
            Err(diagnostic) if diagnostic.code == Code::OldDriver => {}
            other => return other.map(|()| Box::new(device) as Box<dyn Device>),
        }
    }
    let code = kernels::compile(text, device.architecture())?;
    if device.load(&code.bytes).is_err() {
        // Something may be wrong with the entry of the cache.
        code.discard();
        let code = kernels::compile(text, device.architecture())?;
        device.load(&code.bytes)?;
    }
    Ok(Box::new(device))
}
