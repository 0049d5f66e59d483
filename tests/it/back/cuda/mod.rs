//! CUDA without a device: NVIDIA's compilers, and a driver that is played.

mod compile;
mod driver;
mod library;
