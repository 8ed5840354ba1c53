/// Function table of zlib, with the types of `zlib.h`. The pointer argument is the `z_stream`.
struct ZlibFunctions: Sendable {
    typealias Version = @convention(c) @Sendable () -> UnsafePointer<CChar>?
    typealias DeflateInit =
        @convention(c) @Sendable (
            UnsafeMutableRawPointer, _ level: CInt, _ method: CInt, _ windowBits: CInt, _ memoryLevel: CInt,
            _ strategy: CInt, _ version: UnsafePointer<CChar>?, _ streamSize: CInt
        ) -> CInt
    typealias InflateInit =
        @convention(c) @Sendable (
            UnsafeMutableRawPointer, _ windowBits: CInt, _ version: UnsafePointer<CChar>?, _ streamSize: CInt
        ) -> CInt
    typealias Step = @convention(c) @Sendable (UnsafeMutableRawPointer, _ flush: CInt) -> CInt
    typealias End = @convention(c) @Sendable (UnsafeMutableRawPointer) -> CInt

    let version: Version
    let deflateInit: DeflateInit
    let deflate: Step
    let deflateReset: End
    let deflateEnd: End
    let inflateInit: InflateInit
    let inflate: Step
    let inflateReset: End
    /// Resets without emptying the window; nil for a zlib without it.
    let inflateResetKeep: End?
    let inflateEnd: End

    /// Loads zlib at run time, so that the build needs no header or development package.
    static func load(from name: String = libraryName) throws(SystemLibraryError) -> ZlibFunctions {
        let library = try DynamicLibrary(name)
        return ZlibFunctions(
            version: try library.function("zlibVersion"),
            deflateInit: try library.function("deflateInit2_"),
            deflate: try library.function("deflate"),
            deflateReset: try library.function("deflateReset"),
            deflateEnd: try library.function("deflateEnd"),
            inflateInit: try library.function("inflateInit2_"),
            inflate: try library.function("inflate"),
            inflateReset: try library.function("inflateReset"),
            inflateResetKeep: try? library.function("inflateResetKeep", as: End.self),
            inflateEnd: try library.function("inflateEnd"))
    }

    #if canImport(Darwin)
        /// File name of the system's zlib.
        static let libraryName = "/usr/lib/libz.1.dylib"
    #else
        /// File name of the system's zlib.
        static let libraryName = "libz.so.1"
    #endif

    /// The system's zlib, loaded once.
    static let system = Result { () throws(SystemLibraryError) in try load() }
}

/// `z_stream` of `zlib.h`, field by field: the layout is part of zlib's ABI.
struct ZlibStreamState {
    static var empty: ZlibStreamState { ZlibStreamState() }

    var nextIn: UnsafeMutablePointer<UInt8>?
    var availableIn: CUnsignedInt = 0
    var totalIn: CUnsignedLong = 0
    var nextOut: UnsafeMutablePointer<UInt8>?
    var availableOut: CUnsignedInt = 0
    var totalOut: CUnsignedLong = 0
    var message: UnsafePointer<CChar>?
    var state: OpaquePointer?
    var allocate: OpaquePointer?
    var free: OpaquePointer?
    var opaque: UnsafeMutableRawPointer?
    var dataType: CInt = 0
    var checksum: CUnsignedLong = 0
    var reserved: CUnsignedLong = 0
}

/// Constants of `zlib.h`.
enum ZlibConstant {
    static let noFlush: CInt = 0
    /// The bit of `data_type` that `inflate` sets after the last byte of a block.
    static let blockEnd: CInt = 128
    static let synchronousFlush: CInt = 2
    static let finish: CInt = 4
    static let ok: CInt = 0
    static let streamEnd: CInt = 1
    static let needsDictionary: CInt = 2
    static let dataError: CInt = -3
    static let bufferError: CInt = -5
    static let deflated: CInt = 8
    static let memoryLevel: CInt = 8
    static let defaultStrategy: CInt = 0
}
