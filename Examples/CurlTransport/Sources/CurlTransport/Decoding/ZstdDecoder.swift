import CCurl

/// Function table of the zstd decoder, with the types of `zstd.h`.
struct ZstdLibrary: Sendable {
    typealias Make = @convention(c) @Sendable () -> UnsafeMutableRawPointer?
    typealias Release = @convention(c) @Sendable (UnsafeMutableRawPointer?) -> Int
    typealias Decompress =
        @convention(c) @Sendable (
            UnsafeMutableRawPointer?, UnsafeMutablePointer<ccurl_zstd_output>, UnsafeMutablePointer<ccurl_zstd_input>
        ) -> Int
    typealias IsError = @convention(c) @Sendable (Int) -> CUnsignedInt

    let make: Make
    let release: Release
    let decompress: Decompress
    let isError: IsError

    /// - Throws: ``CurlError``.
    init() throws(CurlError) {
        guard let library = SharedLibrary("libzstd.so.1") else {
            throw CurlError(.missingLibrary, "libzstd.so.1 is missing.")
        }
        make = try library.function("ZSTD_createDStream")
        release = try library.function("ZSTD_freeDStream")
        decompress = try library.function("ZSTD_decompressStream")
        isError = try library.function("ZSTD_isError")
    }
}

/// Decodes zstd (RFC 8878), of one or several frames.
final class ZstdDecoder: ContentDecoder {
    private let library: ZstdLibrary
    private let state: UnsafeMutableRawPointer
    /// True at the end of a frame.
    private(set) var isComplete = true

    init?(_ library: ZstdLibrary) {
        guard let state = library.make() else { return nil }
        self.library = library
        self.state = state
    }

    deinit { _ = library.release(state) }

    func decode(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(InvalidCoding) -> Int {
        guard !input.isEmpty || !isComplete else { return 0 }
        var source = ccurl_zstd_input(data: input.baseAddress, count: input.count, position: 0)
        var target = ccurl_zstd_output(data: output.baseAddress, count: output.count, position: 0)
        let result = library.decompress(state, &target, &source)
        guard library.isError(result) == 0 else { throw InvalidCoding() }
        input.consume(source.position)
        isComplete = result == 0
        return target.position
    }
}
