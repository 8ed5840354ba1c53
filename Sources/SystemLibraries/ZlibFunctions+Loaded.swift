#if !canImport(Darwin)
    extension ZlibFunctions {
        static let libraryName = "libz.so.1"

        /// Loads zlib at run time, so that the build needs no header or development package.
        static func load(from name: String = libraryName) throws(SystemLibraryError) -> ZlibFunctions {
            let library = try DynamicLibrary(name)
            return ZlibFunctions(
                version: try library.function("zlibVersion", as: Version.self),
                deflateInit: try library.function("deflateInit2_", as: DeflateInit.self),
                deflate: try library.function("deflate", as: Step.self),
                deflateEnd: try library.function("deflateEnd", as: End.self),
                inflateInit: try library.function("inflateInit2_", as: InflateInit.self),
                inflate: try library.function("inflate", as: Step.self),
                inflateReset: try library.function("inflateReset", as: End.self),
                inflateEnd: try library.function("inflateEnd", as: End.self))
        }
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
#endif
