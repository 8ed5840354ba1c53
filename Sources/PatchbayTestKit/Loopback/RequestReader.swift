import Foundation
import HTTPMessages

/// Parses requests from a byte source, in sequence.
struct RequestReader<Source: ByteSource> {
    private let source: Source
    private let limits: LoopbackServer.Limits
    private var buffer = [UInt8](repeating: 0, count: 16_384)
    // The range of unread bytes in the buffer.
    private var start = 0
    private var end = 0

    init(source: Source, limits: LoopbackServer.Limits) {
        self.source = source
        self.limits = limits
    }

    /// True when the buffer has unread bytes.
    var hasUnreadBytes: Bool { start < end }

    /// Reads the next head.
    /// - Returns: the head and its raw bytes; nil when the stream ends before another request.
    /// - Throws: ``Refusal`` or ``ConnectionLost``.
    mutating func readHead() throws -> (head: RequestHead, bytes: Data)? {
        try skipEmptyLines()
        var searched = 0
        while true {
            if let length = headLength(searchedFrom: searched) {
                guard length <= limits.head else { throw Refusal(431, "The head is longer than \(limits.head) bytes.") }
                let bytes = buffer[start..<(start + length)]
                start += length
                return (try RequestHead(parsing: bytes), Data(bytes))
            }
            searched = end - start
            guard searched < limits.head else { throw Refusal(431, "The head is longer than \(limits.head) bytes.") }
            if try !fill() {
                if searched == 0 { return nil }
                throw ConnectionLost()
            }
        }
    }

    /// Reads a whole body.
    /// - Throws: ``Refusal`` or ``ConnectionLost``.
    mutating func readBody(_ framing: RequestHead.Framing) throws -> (bytes: Data, trailers: Data) {
        var body = Data()
        var trailers = Data()
        switch framing {
        case .none: break
        case .length(let length):
            try checkBody(length)
            body.reserveCapacity(length)
            try take(length) { body.append(contentsOf: $0) }
        case .chunked:
            while true {
                let size = try readChunkSize()
                if size == 0 { break }
                // Subtraction cannot overflow here; addition could.
                guard size <= limits.body - body.count else { throw tooLong }
                try take(size) { body.append(contentsOf: $0) }
                guard try readLine(limit: 2).isEmpty else { throw Refusal(400, "A chunk is longer than its size.") }
            }
            while true {
                let line = try readLine(limit: limits.head - trailers.count)
                if line.isEmpty { break }
                trailers.append(contentsOf: line + [0x0D, 0x0A])
            }
        }
        return (body, trailers)
    }

    /// Throws when a body's declared length exceeds the limit.
    func checkBody(_ length: Int) throws(Refusal) {
        if length > limits.body { throw tooLong }
    }

    /// Reads the next available bytes.
    /// - Returns: nil at the end of the stream.
    mutating func readSome() throws -> Data? {
        if !hasUnreadBytes, try !fill() { return nil }
        defer { start = end }
        return Data(buffer[start..<end])
    }

    private var tooLong: Refusal { Refusal(413, "The body is longer than \(limits.body) bytes.") }

    // A client may have sent an empty line after the last body (RFC 9112, section 2.2).
    private mutating func skipEmptyLines() throws {
        while true {
            while start < end, buffer[start] == 0x0D || buffer[start] == 0x0A { start += 1 }
            if start < end { return }
            if try !fill() { return }
        }
    }

    private func headLength(searchedFrom searched: Int) -> Int? {
        // The terminator may be split over two reads, so the last three bytes are searched again.
        var index = start + max(0, searched - 3)
        let end = end
        return buffer.withUnsafeBufferPointer { buffer in
            while index + 3 < end {
                // CR LF CR LF ends with LF, so that byte is tested first.
                if buffer[index + 3] == 0x0A, buffer[index + 2] == 0x0D, buffer[index + 1] == 0x0A,
                    buffer[index] == 0x0D
                {
                    return index + 4 - start
                }
                index += 1
            }
            return nil
        }
    }

    private mutating func readChunkSize() throws -> Int {
        let line = try readLine(limit: 4096)
        let digits = line.prefix { $0 != UInt8(ascii: ";") && !$0.isHTTPWhitespace }
        guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16), size >= 0,
            digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-")
        else {
            throw Refusal(400, "Invalid chunk size.")
        }
        return size
    }

    /// Reads a line and drops its CR LF.
    private mutating func readLine(limit: Int) throws -> ArraySlice<UInt8> {
        var searched = 0
        while true {
            if let feed = buffer[(start + searched)..<end].firstIndex(of: 0x0A) {
                guard feed > start, buffer[feed - 1] == 0x0D, feed - start <= limit + 1 else {
                    throw Refusal(400, "A line of a chunked body does not end with CR LF, or is too long.")
                }
                defer { start = feed + 1 }
                return buffer[start..<(feed - 1)]
            }
            searched = end - start
            guard searched <= limit + 1 else { throw Refusal(400, "A line of a chunked body is too long.") }
            guard try fill() else { throw ConnectionLost() }
        }
    }

    private mutating func take(_ count: Int, _ use: (ArraySlice<UInt8>) -> Void) throws {
        var missing = count
        while missing > 0 {
            if !hasUnreadBytes, try !fill() { throw ConnectionLost() }
            let piece = min(missing, end - start)
            use(buffer[start..<(start + piece)])
            start += piece
            missing -= piece
        }
    }

    /// Blocks until more bytes are in the buffer.
    /// - Returns: false at the end of the stream.
    private mutating func fill() throws -> Bool {
        if start == end {
            start = 0
            end = 0
        } else if end == buffer.count {
            if start > 0 {
                let rest = start..<end
                buffer.withUnsafeMutableBytes { memory in
                    memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[rest]))
                }
                end -= start
                start = 0
            } else {
                buffer.append(contentsOf: repeatElement(0, count: buffer.count))
            }
        }
        let free = end
        let source = source
        let count = try buffer.withUnsafeMutableBytes { memory throws(ConnectionLost) in
            try source.read(into: UnsafeMutableRawBufferPointer(rebasing: memory[free...]))
        }
        end += count
        return count > 0
    }
}
