/// Function table of the Brotli decoder, with the types of `brotli/decode.h`.
struct BrotliLibrary: Sendable {
    typealias Make =
        @convention(c) @Sendable (
            UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
        ) -> UnsafeMutableRawPointer?
    typealias Release = @convention(c) @Sendable (UnsafeMutableRawPointer?) -> Void
    typealias Decompress =
        @convention(c) @Sendable (
            UnsafeMutableRawPointer?, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafePointer<UInt8>?>,
            UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
            UnsafeMutablePointer<Int>?
        ) -> CInt

    let make: Make
    let release: Release
    let decompress: Decompress

    /// - Throws: ``CurlError``.
    init() throws(CurlError) {
        guard let library = SharedLibrary("libbrotlidec.so.1") else {
            throw CurlError(.missingLibrary, "libbrotlidec.so.1 is missing.")
        }
        make = try library.function("BrotliDecoderCreateInstance")
        release = try library.function("BrotliDecoderDestroyInstance")
        decompress = try library.function("BrotliDecoderDecompressStream")
    }
}

/// Decodes Brotli (RFC 7932). Bytes after the end are ignored.
final class BrotliDecoder: ContentDecoder {
    private static let failure: CInt = 0
    private static let success: CInt = 1

    private let library: BrotliLibrary
    private let state: UnsafeMutableRawPointer
    private var isAtEnd = false
    private var hasBegun = false

    init?(_ library: BrotliLibrary) {
        guard let state = library.make(nil, nil, nil) else { return nil }
        self.library = library
        self.state = state
    }

    deinit { library.release(state) }

    var isComplete: Bool { isAtEnd || !hasBegun }

    func decode(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(InvalidCoding) -> Int {
        guard !isAtEnd else {
            input.consume(input.count)
            return 0
        }
        if !input.isEmpty { hasBegun = true }
        var available = input.count
        var source = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var room = output.count
        var target = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let result = library.decompress(state, &available, &source, &room, &target, nil)
        input.consume(input.count - available)
        if result == Self.failure { throw InvalidCoding(decoded: output.count - room) }
        isAtEnd = result == Self.success
        return output.count - room
    }
}
