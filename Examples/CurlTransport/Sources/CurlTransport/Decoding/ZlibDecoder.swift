import CCurl

/// Function table of zlib, with the types of `zlib.h`.
struct ZlibLibrary: Sendable {
    typealias Stream = UnsafeMutablePointer<ccurl_zlib_stream>
    typealias Initialize = @convention(c) @Sendable (Stream, CInt, UnsafePointer<CChar>?, CInt) -> CInt
    typealias Step = @convention(c) @Sendable (Stream, _ flush: CInt) -> CInt
    typealias Change = @convention(c) @Sendable (Stream) -> CInt

    let initialize: Initialize
    let inflate: Step
    let reset: Change
    let end: Change

    /// - Throws: ``CurlError``.
    init() throws(CurlError) {
        guard let library = SharedLibrary("libz.so.1") else {
            throw CurlError(.missingLibrary, "libz.so.1 is missing.")
        }
        initialize = try library.function("inflateInit2_")
        inflate = try library.function("inflate")
        reset = try library.function("inflateReset")
        end = try library.function("inflateEnd")
    }
}

/// Decoder of gzip (RFC 1952) and deflate.
///
/// Gzip may have several members. Deflate is zlib data (RFC 1950) or raw (RFC 1951). Bytes after the end are ignored.
final class ZlibDecoder: ContentDecoder {
    enum Coding {
        case gzip
        case deflate
    }

    private static let ok: CInt = 0
    private static let streamEnd: CInt = 1
    private static let bufferError: CInt = -5
    private static let gzipWindow: CInt = 15 + 16
    private static let zlibWindow: CInt = 15
    private static let rawWindow: CInt = -15

    private let library: ZlibLibrary
    private let coding: Coding
    private let stream: ZlibLibrary.Stream
    private var isInitialized = false
    /// The first bytes of deflate data, until there are two of them, which tell zlib data from raw data.
    private var prefix: [UInt8] = []
    private var isAtEnd = false

    init(_ library: ZlibLibrary, _ coding: Coding) {
        self.library = library
        self.coding = coding
        stream = .allocate(capacity: 1)
        stream.initialize(to: ccurl_zlib_stream())
    }

    deinit {
        if isInitialized { _ = library.end(stream) }
        stream.deallocate()
    }

    var isComplete: Bool { isAtEnd || (!isInitialized && prefix.isEmpty) }

    func decode(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(InvalidCoding) -> Int {
        guard try initialize(&input) else { return 0 }
        let first = try inflatePrefix(into: output)
        guard prefix.isEmpty, first < output.count else { return first }
        do throws(InvalidCoding) {
            return first + (try inflate(&input, into: UnsafeMutableRawBufferPointer(rebasing: output[first...])))
        } catch {
            throw InvalidCoding(decoded: first + error.decoded)
        }
    }

    private func inflatePrefix(into output: UnsafeMutableRawBufferPointer) throws(InvalidCoding) -> Int {
        guard !prefix.isEmpty else { return 0 }
        var left = 0
        let result = prefix.withUnsafeBytes { bytes in
            var rest = bytes
            defer { left = rest.count }
            return Result { () throws(InvalidCoding) in try inflate(&rest, into: output) }
        }
        prefix = prefix.suffix(left)
        return try result.get()
    }

    /// - Returns: false when more input is required.
    private func initialize(_ input: inout UnsafeRawBufferPointer) throws(InvalidCoding) -> Bool {
        guard !isInitialized else { return true }
        var window = Self.gzipWindow
        if coding == .deflate {
            while prefix.count < 2, let byte = input.first {
                prefix.append(byte)
                input.consume(1)
            }
            guard prefix.count == 2 else { return false }
            let isZlib = prefix[0] & 15 == 8 && (Int(prefix[0]) << 8 | Int(prefix[1])) % 31 == 0
            window = isZlib ? Self.zlibWindow : Self.rawWindow
        } else if input.isEmpty {
            return false
        }
        guard
            library.initialize(stream, window, "1.2.11", CInt(MemoryLayout<ccurl_zlib_stream>.size)) == Self.ok
        else { throw InvalidCoding() }
        isInitialized = true
        return true
    }

    private func inflate(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(InvalidCoding) -> Int {
        if isAtEnd {
            guard coding == .gzip, let first = input.first, first == 0x1F else {
                input.consume(input.count)
                return 0
            }
            guard library.reset(stream) == Self.ok else { throw InvalidCoding() }
            isAtEnd = false
        }
        stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.available_in = CUnsignedInt(input.count)
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.available_out = CUnsignedInt(output.count)
        let result = library.inflate(stream, 0)
        input.consume(input.count - Int(stream.pointee.available_in))
        let count = output.count - Int(stream.pointee.available_out)
        switch result {
        case Self.ok, Self.bufferError: break
        case Self.streamEnd: isAtEnd = true
        default: throw InvalidCoding(decoded: count)
        }
        return count
    }
}
