/// Function table of libzstd, with the types of `zstd.h`.
struct ZstdFunctions: Sendable {
    typealias New = @convention(c) @Sendable () -> OpaquePointer?
    typealias Free = @convention(c) @Sendable (OpaquePointer?) -> Int
    typealias SetParameter = @convention(c) @Sendable (OpaquePointer, _ parameter: CInt, _ value: CInt) -> Int
    typealias Compress =
        @convention(c) @Sendable (
            OpaquePointer, _ output: UnsafeMutableRawPointer, _ input: UnsafeMutableRawPointer, _ end: CInt
        ) -> Int
    typealias IsError = @convention(c) @Sendable (Int) -> CUnsignedInt

    let newContext: New
    let freeContext: Free
    let setParameter: SetParameter
    let compress: Compress
    let isError: IsError

    #if canImport(Darwin)
        static let libraryName = "libzstd.1.dylib"
    #else
        static let libraryName = "libzstd.so.1"
    #endif

    /// The system's libzstd, loaded once.
    static let system = Result { () throws(SystemLibraryError) in try load() }

    /// Loads the functions at run time, so that the build needs no header or development package.
    static func load(from name: String = libraryName) throws(SystemLibraryError) -> ZstdFunctions {
        let library = try DynamicLibrary(name)
        return ZstdFunctions(
            newContext: try library.function("ZSTD_createCCtx"),
            freeContext: try library.function("ZSTD_freeCCtx"),
            setParameter: try library.function("ZSTD_CCtx_setParameter"),
            compress: try library.function("ZSTD_compressStream2"),
            isError: try library.function("ZSTD_isError"))
    }
}

/// `ZSTD_inBuffer` and `ZSTD_outBuffer` of `zstd.h`, field by field.
struct ZstdBuffer {
    var bytes: UnsafeMutableRawPointer?
    var size: Int
    var position = 0
}

/// Constants of `zstd.h`.
enum ZstdConstant {
    static let compressionLevel: CInt = 100
    static let proceed: CInt = 0
    static let flush: CInt = 1
    static let end: CInt = 2
}
