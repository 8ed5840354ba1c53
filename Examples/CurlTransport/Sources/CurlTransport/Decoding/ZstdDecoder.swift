import CCurl

/// Function table of the zstd decoder, with the types of `zstd.h`.
struct ZstdLibrary: Sendable {
    typealias Make = @convention(c) @Sendable () -> UnsafeMutableRawPointer?
    typealias Release = @convention(c) @Sendable (UnsafeMutableRawPointer?) -> Int
    typealias SetParameter = @convention(c) @Sendable (UnsafeMutableRawPointer?, _ name: CInt, _ value: CInt) -> Int
    typealias Decompress =
        @convention(c) @Sendable (
            UnsafeMutableRawPointer?, UnsafeMutablePointer<ccurl_zstd_output>, UnsafeMutablePointer<ccurl_zstd_input>
        ) -> Int
    typealias IsError = @convention(c) @Sendable (Int) -> CUnsignedInt

    let make: Make
    let release: Release
    let setParameter: SetParameter
    let decompress: Decompress
    let isError: IsError

    /// - Throws: ``CurlError``.
    init() throws(CurlError) {
        guard let library = SharedLibrary("libzstd.so.1") else {
            throw CurlError(.missingLibrary, "libzstd.so.1 is missing.")
        }
        make = try library.function("ZSTD_createDStream")
        release = try library.function("ZSTD_freeDStream")
        setParameter = try library.function("ZSTD_DCtx_setParameter")
        decompress = try library.function("ZSTD_decompressStream")
        isError = try library.function("ZSTD_isError")
    }
}

/// Decodes zstd (RFC 8878), of one or several frames with windows of up to 8 MiB (RFC 9659).
final class ZstdDecoder: ContentDecoder {
    /// `ZSTD_d_windowLogMax`
    private static let windowLogParameter: CInt = 100
    /// The logarithm of 8 MiB. The library's own limit is 128 MiB, which each decoder of a chain could use.
    private static let maximumWindowLog: CInt = 23
    /// The smallest start of a frame that tells the length of its header.
    private static let frameStart = 5

    private static let blockHeader = 3

    private let library: ZstdLibrary
    private let state: UnsafeMutableRawPointer
    /// The number of bytes to the end of the current block. With more, an error hides the output before it.
    private var wanted = frameStart
    /// True when the library may have more output of the current block.
    private var hasOutput = false
    /// True at the end of a frame.
    private(set) var isComplete = true

    init?(_ library: ZstdLibrary) {
        guard let state = library.make() else { return nil }
        _ = library.setParameter(state, Self.windowLogParameter, Self.maximumWindowLog)
        self.library = library
        self.state = state
    }

    deinit { _ = library.release(state) }

    func decode(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(InvalidCoding) -> Int {
        if hasOutput {
            var nothing = UnsafeRawBufferPointer(rebasing: input.prefix(0))
            let count = try step(&nothing, into: output)
            if count > 0 || input.isEmpty { return count }
        }
        guard !input.isEmpty || !isComplete else { return 0 }
        return try step(&input, into: output)
    }

    private func step(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(InvalidCoding) -> Int {
        var source = ccurl_zstd_input(data: input.baseAddress, count: min(input.count, wanted), position: 0)
        var target = ccurl_zstd_output(data: output.baseAddress, count: output.count, position: 0)
        let result = library.decompress(state, &target, &source)
        guard library.isError(result) == 0 else { throw InvalidCoding(decoded: target.position) }
        input.consume(source.position)
        isComplete = result == 0
        // The library asks for a block and the header of the next one.
        wanted = isComplete ? Self.frameStart : result > Self.blockHeader ? result - Self.blockHeader : result
        hasOutput = target.position == output.count && !isComplete
        return target.position
    }
}
