#if canImport(Darwin)
    import zlib

    extension ZlibFunctions {
        static let libraryName = "libz"

        /// The functions of the SDK's zlib, which is always available.
        static func load() throws(SystemLibraryError) -> ZlibFunctions {
            ZlibFunctions(
                version: { zlibVersion() },
                deflateInit: { stream, level, method, windowBits, memoryLevel, strategy, version, size in
                    deflateInit2_(
                        stream.assumingMemoryBound(to: z_stream.self), level, method, windowBits, memoryLevel,
                        strategy, version, size)
                },
                deflate: { zlib.deflate($0.assumingMemoryBound(to: z_stream.self), $1) },
                deflateEnd: { zlib.deflateEnd($0.assumingMemoryBound(to: z_stream.self)) },
                inflateInit: { stream, windowBits, version, size in
                    inflateInit2_(stream.assumingMemoryBound(to: z_stream.self), windowBits, version, size)
                },
                inflate: { zlib.inflate($0.assumingMemoryBound(to: z_stream.self), $1) },
                inflateReset: { zlib.inflateReset($0.assumingMemoryBound(to: z_stream.self)) },
                inflateEnd: { zlib.inflateEnd($0.assumingMemoryBound(to: z_stream.self)) })
        }
    }

    typealias ZlibStreamState = z_stream

    extension z_stream {
        static var empty: z_stream { z_stream() }

        var nextIn: UnsafeMutablePointer<UInt8>? {
            get { next_in }
            set { next_in = newValue }
        }
        var availableIn: CUnsignedInt {
            get { avail_in }
            set { avail_in = newValue }
        }
        var nextOut: UnsafeMutablePointer<UInt8>? {
            get { next_out }
            set { next_out = newValue }
        }
        var availableOut: CUnsignedInt {
            get { avail_out }
            set { avail_out = newValue }
        }
    }
#endif
