//! The CUDA device: a context, a stream in which everything happens in order, a pool of memory, and the functions that the host plan calls
//! (`remora_device` in `src/back/cuda/table.h`).

#![allow(unsafe_code, reason = "calls of the driver of CUDA")]

use super::super::load;
use super::super::table::{NO_MEMORY, Table};
use crate::base::Code;
use crate::diag::Diagnostic;
use cudarc::driver::sys::{self as cuda, CUdevice_attribute_enum as Attribute, CUresult};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::null_mut;

/// The oldest version of the driver's interface that is used: 12.0.
const OLDEST_DRIVER: i32 = 12000;
/// The oldest architecture that kernels are made for.
const OLDEST_DEVICE: i32 = 70;
/// Dynamic shared memory that a kernel may have without asking.
const FREE_SHARED: i64 = 48 << 10;
/// The most blocks of a launch; kernels go over their work in strides.
const MOST_BLOCKS: i64 = i32::MAX as i64;
/// What goes to the device or comes from it passes through two pieces of memory of this size that the device reaches by itself: the
/// processor fills or empties one while the device works with the other, and nobody waits for what goes to the device.
const PINNED: usize = 4 << 20;

/// A CUDA device.
pub struct Device(Box<Inner>);

/// What the table's `self` points to; everything behind it is changed through cells.
struct Inner {
    table: Table,
    name: String,
    architecture: i32,
    multiprocessors: i64,
    threads: i64,
    shared: i64,
    device: cuda::CUdevice,
    context: cuda::CUcontext,
    stream: cuda::CUstream,
    pool: cuda::CUmemoryPool,
    /// The pieces with the events behind their last use, and how many were used to put something.
    pinned: [Piece; 2],
    puts: Cell<usize>,
    /// Whether arrays pass through them, or are left to the driver (`REMORA_CUDA_STAGING=0`).
    staging: bool,
    module: cuda::CUmodule,
    kernels: RefCell<FxHashMap<CString, Kernel>>,
    message: RefCell<CString>,
}

/// Memory that the device reaches by itself, made when it is needed.
struct Piece {
    memory: Cell<*mut c_void>,
    used: Cell<cuda::CUevent>,
}

impl Piece {
    fn new() -> Piece {
        Piece { memory: Cell::new(null_mut()), used: Cell::new(null_mut()) }
    }
}

/// A kernel, and how much dynamic shared memory it may have.
#[derive(Clone, Copy)]
struct Kernel {
    function: cuda::CUfunction,
    shared: i64,
}

/// What the driver calls an error.
fn error(result: CUresult) -> String {
    let text = |get: unsafe fn(CUresult, *mut *const c_char) -> CUresult| {
        let mut found = std::ptr::null();
        // SAFETY: the driver gives a constant text, or an error.
        let known = unsafe { get(result, &mut found) } == CUresult::CUDA_SUCCESS && !found.is_null();
        // SAFETY: see above.
        known.then(|| unsafe { CStr::from_ptr(found) }.to_string_lossy().into_owned())
    };
    let name = text(cuda::cuGetErrorName).unwrap_or_else(|| format!("error {}", result as u32));
    match text(cuda::cuGetErrorString) {
        Some(meaning) => format!("{meaning} ({name})"),
        None => name,
    }
}

fn good(what: &str, result: CUresult) -> Result<(), String> {
    match result {
        CUresult::CUDA_SUCCESS => Ok(()),
        _ if is_lost(result) => Err(format!("{what}: {}; this process cannot use the device any more", error(result))),
        _ => Err(format!("{what}: {}", error(result))),
    }
}

/// Whether everything fails in the same way from now on ("CUDA Driver API", `cuGetErrorName`: "the process must be terminated and
/// relaunched").
fn is_lost(result: CUresult) -> bool {
    use CUresult as R;
    matches!(
        result,
        R::CUDA_ERROR_ECC_UNCORRECTABLE
            | R::CUDA_ERROR_ILLEGAL_ADDRESS
            | R::CUDA_ERROR_LAUNCH_TIMEOUT
            | R::CUDA_ERROR_ASSERT
            | R::CUDA_ERROR_HARDWARE_STACK_ERROR
            | R::CUDA_ERROR_ILLEGAL_INSTRUCTION
            | R::CUDA_ERROR_MISALIGNED_ADDRESS
            | R::CUDA_ERROR_INVALID_ADDRESS_SPACE
            | R::CUDA_ERROR_INVALID_PC
            | R::CUDA_ERROR_LAUNCH_FAILED
            | R::CUDA_ERROR_EXTERNAL_DEVICE
    )
}

/// A failure of the device.
fn failed(message: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::bare(Code::DeviceFailed, message).help("use `--backend cpu`"))
}

/// Why the driver cannot be used.
fn unusable(result: CUresult) -> Box<Diagnostic> {
    let diagnostic = match result {
        CUresult::CUDA_ERROR_NO_DEVICE | CUresult::CUDA_ERROR_INVALID_DEVICE => {
            Diagnostic::bare(Code::NoDevice, "no CUDA device: the driver finds none")
                .help("`nvidia-smi` lists them; CUDA_VISIBLE_DEVICES may hide them")
        }
        CUresult::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH | CUresult::CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE => {
            Diagnostic::bare(Code::OldDriver, format!("the CUDA driver does not fit this machine: {}", error(result)))
        }
        CUresult::CUDA_ERROR_STUB_LIBRARY => Diagnostic::bare(Code::NoDriver, "no CUDA driver: the library found is a stub for linking"),
        _ => Diagnostic::bare(Code::NoDriver, format!("the CUDA driver cannot be used: {}", error(result))),
    };
    Box::new(diagnostic.help("use `--backend cpu`"))
}

impl Device {
    /// The device of this machine with this number, ready to work.
    pub fn open(number: u32) -> Result<Device, Box<Diagnostic>> {
        let (device, architecture) = find(number)?;
        let attribute = |which: Attribute| {
            let mut value = 0;
            // SAFETY: writes a number.
            good("a property of the device", unsafe { cuda::cuDeviceGetAttribute(&mut value, which, device) }).map(|()| i64::from(value))
        };
        let multiprocessors = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT).map_err(failed)?;
        let each = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR).map_err(failed)?;
        let shared = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN).map_err(failed)?;
        if attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED).map_err(failed)? == 0 {
            let message = format!("the CUDA device {} has no pools of memory, which remora needs", name(device));
            return Err(Box::new(Diagnostic::bare(Code::NoDevice, message).help("use `--backend cpu`")));
        }
        let mut inner = Box::new(Inner {
            table: TABLE,
            name: name(device),
            architecture,
            multiprocessors,
            threads: multiprocessors * each,
            shared,
            device,
            context: null_mut(),
            stream: null_mut(),
            pool: null_mut(),
            pinned: [Piece::new(), Piece::new()],
            puts: Cell::new(0),
            staging: std::env::var("REMORA_CUDA_STAGING").map_or(true, |value| value != "0"),
            module: null_mut(),
            kernels: RefCell::default(),
            message: RefCell::default(),
        });
        inner.begin().map_err(failed)?;
        inner.table.this = (&raw mut *inner).cast();
        Ok(Device(inner))
    }

    /// What code must be made for: 90 for `sm_90`.
    pub fn architecture(&self) -> i32 {
        self.0.architecture
    }

    /// Loads kernels: machine code, or PTX that ends with a zero.
    pub fn load(&mut self, code: &[u8]) -> Result<(), Box<Diagnostic>> {
        self.0.enter().map_err(failed)?;
        // SAFETY: the driver looks at the code, whose format says where it ends.
        let result = unsafe { cuda::cuModuleLoadData(&mut self.0.module, code.as_ptr().cast()) };
        match result {
            CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION | CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU => {
                let message = format!("the CUDA driver is older than NVRTC: {}", error(result));
                Err(Box::new(
                    Diagnostic::bare(Code::OldDriver, message).help("update the driver, or use an older NVRTC, or `--backend cpu`"),
                ))
            }
            _ => good("the kernels cannot be loaded", result).map_err(failed),
        }
    }
}

/// The device that the driver has under this number, and its architecture.
fn find(number: u32) -> Result<(cuda::CUdevice, i32), Box<Diagnostic>> {
    // SAFETY: looks whether the driver's library can be loaded; the functions of the driver panic where it cannot.
    if !unsafe { cuda::is_culib_present() } {
        let message = "no CUDA driver: `libcuda.so` is not found";
        let help = "install NVIDIA's driver, or use `--backend cpu`, or `--backend interp`, the evaluator";
        return Err(Box::new(Diagnostic::bare(Code::NoDriver, message).help(help)));
    }
    let mut version = 0;
    // SAFETY: these write a number each; the version may be asked before all else.
    unsafe {
        if cuda::cuDriverGetVersion(&mut version) != CUresult::CUDA_SUCCESS || version < OLDEST_DRIVER {
            let message = format!("the CUDA driver is too old: it has CUDA {}.{}, needed is 12.0", version / 1000, version % 1000 / 10);
            return Err(Box::new(Diagnostic::bare(Code::OldDriver, message).help("update the driver, or use `--backend cpu`")));
        }
        let (mut count, mut device) = (0, 0);
        let check = |result: CUresult| if result == CUresult::CUDA_SUCCESS { Ok(()) } else { Err(unusable(result)) };
        check(cuda::cuInit(0))?;
        check(cuda::cuDeviceGetCount(&mut count))?;
        if count > 0 && i64::from(number) >= i64::from(count) {
            let last = if count == 1 { "number 0".into() } else { format!("numbers 0 to {}", count - 1) };
            let message = format!("no CUDA device {number}: the driver has {count} ({last})");
            return Err(Box::new(
                Diagnostic::bare(Code::NoDevice, message).help("`nvidia-smi -L` lists them; CUDA_VISIBLE_DEVICES hides and renumbers them"),
            ));
        }
        let number = i32::try_from(number).unwrap_or(i32::MAX);
        check(if count == 0 { CUresult::CUDA_ERROR_NO_DEVICE } else { cuda::cuDeviceGet(&mut device, number) })?;
        let (mut major, mut minor) = (0, 0);
        check(cuda::cuDeviceGetAttribute(&mut major, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device))?;
        check(cuda::cuDeviceGetAttribute(&mut minor, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device))?;
        let architecture = major * 10 + minor;
        if architecture < OLDEST_DEVICE {
            let message = format!("the CUDA device {} is too old: it is of architecture {major}.{minor}, needed is 7.0", name(device));
            return Err(Box::new(Diagnostic::bare(Code::NoDevice, message).help("use `--backend cpu`")));
        }
        Ok((device, architecture))
    }
}

/// The name of a device.
fn name(device: cuda::CUdevice) -> String {
    let mut bytes = [0u8; 256];
    // SAFETY: writes at most so many bytes, the last a zero.
    let known = unsafe { cuda::cuDeviceGetName(bytes.as_mut_ptr().cast(), 255, device) } == CUresult::CUDA_SUCCESS;
    let text = CStr::from_bytes_until_nul(&bytes).map(|text| text.to_string_lossy().into_owned()).unwrap_or_default();
    if known { text } else { "without a name".into() }
}

impl Inner {
    /// Makes the context, the stream, the pool and what is fetched through.
    fn begin(&mut self) -> Result<(), String> {
        // SAFETY: each call gets what those before have made, and writes a handle.
        unsafe {
            good("no context", cuda::cuDevicePrimaryCtxRetain(&mut self.context, self.device))?;
            self.enter()?;
            let flags = cuda::CUstream_flags_enum::CU_STREAM_NON_BLOCKING as u32;
            good("no stream", cuda::cuStreamCreate(&mut self.stream, flags))?;
            good("no pool", cuda::cuDeviceGetDefaultMemPool(&mut self.pool, self.device))?;
            // What is released stays in the pool for the next allocation.
            let mut all = u64::MAX;
            let threshold = cuda::CUmemPool_attribute_enum::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
            good("no pool", cuda::cuMemPoolSetAttribute(self.pool, threshold, (&raw mut all).cast()))
        }
    }

    /// Makes the context that of this thread.
    fn enter(&self) -> Result<(), String> {
        // SAFETY: the context is retained as long as this lives.
        good("the context is lost", unsafe { cuda::cuCtxSetCurrent(self.context) })
    }

    fn wait(&self) -> Result<(), String> {
        // SAFETY: the stream is that of the context.
        good("the device failed", unsafe { cuda::cuStreamSynchronize(self.stream) })
    }

    /// Memory, or whether there is too little and what the driver says.
    fn alloc(&self, bytes: i64) -> Result<*mut c_void, (bool, String)> {
        // Updates of single bytes go through the words around them.
        let room = usize::try_from(bytes).unwrap_or(usize::MAX - 3).max(1).next_multiple_of(4);
        let mut found = 0;
        // SAFETY: the driver writes an address.
        let mut result = unsafe { cuda::cuMemAllocAsync(&mut found, room, self.stream) };
        if result == CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            // What lies in the pool may be in the way.
            self.wait().map_err(|message| (false, message))?;
            // SAFETY: the pool is that of the device.
            unsafe { cuda::cuMemPoolTrimTo(self.pool, 0) };
            result = unsafe { cuda::cuMemAllocAsync(&mut found, room, self.stream) };
        }
        let full = result == CUresult::CUDA_ERROR_OUT_OF_MEMORY;
        good(&format!("no memory for {bytes} bytes, {} are free", self.free()), result).map_err(|message| (full, message))?;
        Ok(found as *mut c_void)
    }

    /// The bytes that can still be had.
    fn free(&self) -> i64 {
        let (mut free, mut total) = (0, 0);
        let (mut reserved, mut used) = (0u64, 0u64);
        // SAFETY: these write numbers.
        unsafe {
            cuda::cuMemGetInfo_v2(&mut free, &mut total);
            use cuda::CUmemPool_attribute_enum as Pool;
            cuda::cuMemPoolGetAttribute(self.pool, Pool::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, (&raw mut reserved).cast());
            cuda::cuMemPoolGetAttribute(self.pool, Pool::CU_MEMPOOL_ATTR_USED_MEM_CURRENT, (&raw mut used).cast());
        }
        (free as u64).saturating_add(reserved.saturating_sub(used)).try_into().unwrap_or(i64::MAX)
    }

    /// # Safety
    /// As many bytes can be read and written there.
    unsafe fn put(&self, to: u64, from: *const c_void, bytes: usize) -> Result<(), String> {
        // SAFETY: see above. Numbers go with the command itself, so that nobody waits.
        unsafe {
            // Where the address suits it; elements of arrays are where it does.
            match if to.is_multiple_of(bytes.clamp(1, 4) as u64) { bytes } else { 0 } {
                1 => good("copying to the device", cuda::cuMemsetD8Async(to, from.cast::<u8>().read(), 1, self.stream)),
                2 => good("copying to the device", cuda::cuMemsetD16Async(to, from.cast::<u16>().read_unaligned(), 1, self.stream)),
                4 => good("copying to the device", cuda::cuMemsetD32Async(to, from.cast::<u32>().read_unaligned(), 1, self.stream)),
                8 => {
                    let [low, high] = from.cast::<[u32; 2]>().read_unaligned();
                    good("copying to the device", cuda::cuMemsetD32Async(to, low, 1, self.stream))?;
                    good("copying to the device", cuda::cuMemsetD32Async(to + 4, high, 1, self.stream))
                }
                _ if self.staging => self.put_through(to, from.cast(), bytes),
                _ => {
                    good("copying to the device", cuda::cuMemcpyHtoDAsync_v2(to, from, bytes, self.stream))?;
                    self.wait()
                }
            }
        }
    }

    /// One of the two pieces, when the device is done with it.
    fn piece(&self, number: usize) -> Result<(*mut c_void, cuda::CUevent), String> {
        let piece = &self.pinned[number % 2];
        let (mut memory, mut used) = (piece.memory.get(), piece.used.get());
        // SAFETY: the driver writes an address and a handle; the event is one of the stream's.
        unsafe {
            if memory.is_null() {
                good("no pinned memory", cuda::cuMemAllocHost_v2(&mut memory, PINNED))?;
                piece.memory.set(memory);
            }
            if used.is_null() {
                let flags = cuda::CUevent_flags_enum::CU_EVENT_DISABLE_TIMING as u32;
                good("no event", cuda::cuEventCreate(&mut used, flags))?;
                piece.used.set(used);
            } else {
                good("the device failed", cuda::cuEventSynchronize(used))?;
            }
        }
        Ok((memory, used))
    }

    /// # Safety
    /// As many bytes can be read and written there.
    unsafe fn put_through(&self, to: u64, from: *const u8, bytes: usize) -> Result<(), String> {
        for start in (0..bytes).step_by(PINNED) {
            let count = PINNED.min(bytes - start);
            self.puts.set(self.puts.get().wrapping_add(1));
            let (memory, used) = self.piece(self.puts.get())?;
            // SAFETY: see above; the piece has room for so many.
            unsafe {
                std::ptr::copy_nonoverlapping(from.add(start), memory.cast(), count);
                good("copying to the device", cuda::cuMemcpyHtoDAsync_v2(to + start as u64, memory, count, self.stream))?;
                good("copying to the device", cuda::cuEventRecord(used, self.stream))?;
            }
        }
        Ok(())
    }

    /// # Safety
    /// As many bytes can be read and written there.
    unsafe fn get(&self, to: *mut c_void, from: u64, bytes: usize) -> Result<(), String> {
        if !self.staging && bytes > PINNED {
            // SAFETY: see above.
            good("copying from the device", unsafe { cuda::cuMemcpyDtoHAsync_v2(to, from, bytes, self.stream) })?;
            return self.wait();
        }
        let mut before: Option<(usize, usize)> = None;
        let ends = (0..bytes).step_by(PINNED).map(|start| Some((start, PINNED.min(bytes - start)))).chain([None]);
        for (number, next) in ends.enumerate() {
            // SAFETY: see above; the pieces have room for so many, and the event of a piece comes behind what was put into it.
            unsafe {
                if let Some((start, count)) = next {
                    let (memory, used) = self.piece(number)?;
                    good("copying from the device", cuda::cuMemcpyDtoHAsync_v2(memory, from + start as u64, count, self.stream))?;
                    good("copying from the device", cuda::cuEventRecord(used, self.stream))?;
                }
                if let Some((start, count)) = before {
                    let (memory, _) = self.piece(number - 1)?;
                    std::ptr::copy_nonoverlapping(memory.cast::<u8>(), to.cast::<u8>().add(start), count);
                }
            }
            before = next;
        }
        Ok(())
    }

    /// # Safety
    /// As many bytes can be read and written there.
    unsafe fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<(), String> {
        // SAFETY: see above.
        unsafe {
            if to.abs_diff(from) >= bytes as u64 {
                return good("copying on the device", cuda::cuMemcpyDtoDAsync_v2(to, from, bytes, self.stream));
            }
            // The places overlap.
            let between = self.alloc(i64::try_from(bytes).unwrap_or(i64::MAX)).map_err(|(_, message)| message)? as u64;
            let copied = good("copying on the device", cuda::cuMemcpyDtoDAsync_v2(between, from, bytes, self.stream))
                .and_then(|()| good("copying on the device", cuda::cuMemcpyDtoDAsync_v2(to, between, bytes, self.stream)));
            cuda::cuMemFreeAsync(between, self.stream);
            copied
        }
    }

    /// The kernel of this name, with so much dynamic shared memory.
    fn kernel(&self, name: &CStr, shared: i64) -> Result<cuda::CUfunction, String> {
        let mut kernels = self.kernels.borrow_mut();
        let shown = || name.to_string_lossy();
        let mut kernel = match kernels.get(name) {
            Some(kernel) => *kernel,
            None => {
                let mut function = null_mut();
                // SAFETY: the module is loaded; the name ends with a zero.
                good(&format!("no kernel `{}`", shown()), unsafe { cuda::cuModuleGetFunction(&mut function, self.module, name.as_ptr()) })?;
                Kernel { function, shared: FREE_SHARED }
            }
        };
        if shared > kernel.shared {
            let most = cuda::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the function is one of the module.
            let set = unsafe { cuda::cuFuncSetAttribute(kernel.function, most, i32::try_from(shared).unwrap_or(i32::MAX)) };
            good(&format!("{shared} bytes of shared memory for kernel `{}`", shown()), set)?;
            kernel.shared = shared;
        }
        kernels.insert(name.to_owned(), kernel);
        Ok(kernel.function)
    }

    /// # Safety
    /// The arguments are those of the kernel.
    unsafe fn launch(&self, name: &CStr, grid: i64, block: i32, shared: i64, args: *mut *mut c_void) -> Result<(), String> {
        let function = self.kernel(name, shared)?;
        let (grid, block) = (grid.clamp(1, MOST_BLOCKS) as u32, block.max(1) as u32);
        let shared = u32::try_from(shared).unwrap_or(0);
        // SAFETY: see above; the driver copies the arguments.
        let result = unsafe { cuda::cuLaunchKernel(function, grid, 1, 1, block, 1, 1, shared, self.stream, args, null_mut()) };
        good(&format!("kernel `{}` with {grid} blocks of {block} threads", name.to_string_lossy()), result)
    }

    /// Records a failure.
    fn note(&self, result: Result<(), String>) -> c_int {
        match result {
            Ok(()) => 0,
            Err(message) => {
                self.message.replace(CString::new(message.replace('\0', " ")).unwrap_or_default());
                1
            }
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: nothing is used after this; what was never made is null. Failures change nothing now.
        unsafe {
            if self.context.is_null() || cuda::cuCtxSetCurrent(self.context) != CUresult::CUDA_SUCCESS {
                return;
            }
            if !self.stream.is_null() {
                cuda::cuStreamSynchronize(self.stream);
            }
            if !self.module.is_null() {
                cuda::cuModuleUnload(self.module);
            }
            for piece in &self.pinned {
                if !piece.memory.get().is_null() {
                    cuda::cuMemFreeHost(piece.memory.get());
                }
                if !piece.used.get().is_null() {
                    cuda::cuEventDestroy_v2(piece.used.get());
                }
            }
            if !self.stream.is_null() {
                cuda::cuStreamDestroy_v2(self.stream);
            }
            cuda::cuDevicePrimaryCtxRelease_v2(self.device);
        }
    }
}

impl load::Device for Device {
    fn table(&self) -> *const c_void {
        (&raw const self.0.table).cast()
    }
    fn message(&self) -> Option<String> {
        let message = self.0.message.borrow();
        (!message.is_empty()).then(|| message.to_string_lossy().into_owned())
    }
    fn name(&self) -> String {
        self.0.name.clone()
    }
}

/// # Safety
/// `this` is that of a table.
unsafe fn of<'a>(this: *mut c_void) -> &'a Inner {
    // SAFETY: see above. Nothing has the device for itself alone while a program runs.
    unsafe { &*this.cast::<Inner>() }
}

/// Negative sizes are nobody's; they would be a mistake in the plan.
fn size(bytes: i64) -> Result<usize, String> {
    usize::try_from(bytes).map_err(|_| format!("a size of {bytes} bytes"))
}

const TABLE: Table = Table { this: null_mut(), alloc, release, put, get, copy, fill, launch, ask, message };

unsafe extern "C" fn alloc(this: *mut c_void, bytes: i64, out: *mut *mut c_void) -> c_int {
    // SAFETY: as table.h says.
    let inner = unsafe { of(this) };
    let found = inner.enter().map_err(|message| (false, message)).and_then(|()| inner.alloc(bytes));
    let full = matches!(found, Err((true, _)));
    let failed = inner.note(found.map(|found| unsafe { *out = found }).map_err(|(_, message)| message));
    if full { NO_MEMORY } else { failed }
}

unsafe extern "C" fn release(this: *mut c_void, memory: *mut c_void, _: i64) {
    // SAFETY: as table.h says; the memory came from `alloc`, and is free when what was launched before has run.
    let inner = unsafe { of(this) };
    if inner.enter().is_ok() {
        unsafe { cuda::cuMemFreeAsync(memory as u64, inner.stream) };
    }
}

unsafe extern "C" fn put(this: *mut c_void, to: *mut c_void, from: *const c_void, bytes: i64) -> c_int {
    // SAFETY: as table.h says.
    let inner = unsafe { of(this) };
    inner.note(inner.enter().and_then(|()| size(bytes)).and_then(|bytes| unsafe { inner.put(to as u64, from, bytes) }))
}

unsafe extern "C" fn get(this: *mut c_void, to: *mut c_void, from: *const c_void, bytes: i64) -> c_int {
    // SAFETY: as table.h says.
    let inner = unsafe { of(this) };
    inner.note(inner.enter().and_then(|()| size(bytes)).and_then(|bytes| unsafe { inner.get(to, from as u64, bytes) }))
}

unsafe extern "C" fn copy(this: *mut c_void, to: *mut c_void, from: *const c_void, bytes: i64) -> c_int {
    // SAFETY: as table.h says.
    let inner = unsafe { of(this) };
    inner.note(inner.enter().and_then(|()| size(bytes)).and_then(|bytes| unsafe { inner.copy(to as u64, from as u64, bytes) }))
}

unsafe extern "C" fn fill(this: *mut c_void, to: *mut c_void, byte: c_int, bytes: i64) -> c_int {
    // SAFETY: as table.h says.
    let inner = unsafe { of(this) };
    let set = |bytes: usize| good("filling memory", unsafe { cuda::cuMemsetD8Async(to as u64, byte as u8, bytes, inner.stream) });
    inner.note(inner.enter().and_then(|()| size(bytes)).and_then(set))
}

unsafe extern "C" fn launch(
    this: *mut c_void,
    kernel: *const c_char,
    grid: i64,
    block: i32,
    shared: i64,
    args: *mut *mut c_void,
    _: i32,
) -> c_int {
    // SAFETY: as table.h says.
    let (inner, kernel) = unsafe { (of(this), CStr::from_ptr(kernel)) };
    inner.note(inner.enter().and_then(|()| unsafe { inner.launch(kernel, grid, block, shared, args) }))
}

unsafe extern "C" fn ask(this: *mut c_void, what: i32) -> i64 {
    // SAFETY: as table.h says.
    let inner = unsafe { of(this) };
    match what {
        0 => inner.multiprocessors,
        1 => inner.threads,
        2 => inner.shared,
        3 => inner.free(),
        _ => 0,
    }
}

unsafe extern "C" fn message(this: *mut c_void) -> *const c_char {
    // SAFETY: as table.h says; the text lives until the next failure.
    unsafe { of(this) }.message.borrow().as_ptr()
}
