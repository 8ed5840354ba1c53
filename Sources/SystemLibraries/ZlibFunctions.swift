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
    let deflateEnd: End
    let inflateInit: InflateInit
    let inflate: Step
    let inflateReset: End
    let inflateEnd: End

    /// The system's zlib, loaded once.
    static let system = Result { () throws(SystemLibraryError) in try load() }
}

/// Constants of `zlib.h`.
enum ZlibConstant {
    static let noFlush: CInt = 0
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
