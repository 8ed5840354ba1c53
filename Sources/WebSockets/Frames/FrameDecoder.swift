package import Foundation

/// What a peer has sent.
package enum FrameEvent: Hashable, Sendable {
    case message(WebSocketMessage)
    case ping(Data)
    case pong(Data)
    /// A close frame; nothing follows it.
    case close(WebSocketCloseCode, reason: String)
}

/// Reads frames from the bytes of a peer: a state machine without I/O.
///
/// Call ``supply(_:)``, then ``next()`` until it returns nil. Each event is made only when it is asked for, so that a
/// reader that stops needs no memory for more than the bytes supplied.
///
/// ```
/// header  -control frame, whole->      header   (event)
/// header  -data frame->                payload
/// payload -bytes->                     payload
/// payload -end of a fragment->         header
/// payload -end of a message->          header   (event)
/// header  -close frame->               ended    (event)
/// any     -invalid bytes->             ended    (error)
/// ```
package struct FrameDecoder: ~Copyable {
    private enum Phase {
        case header
        case payload(FrameHeader, offset: Int)
        case ended
    }
    /// The message of which fragments have arrived.
    fileprivate struct Partial {
        let isText: Bool
        let isCompressed: Bool
        var bytes: [UInt8] = []
        var validator = UTF8Validator()
        /// Bytes on the wire; an empty fragment counts for one.
        var cost = 0
    }

    private let role: WebSocketRole
    private let limit: Int
    private let inflater: MessageInflater?
    private var phase = Phase.header
    private var partial: Partial?
    private var buffer: [UInt8] = []
    /// The number of bytes of ``buffer`` that were read.
    private var start = 0

    /// - Parameters:
    ///   - role: this side's role; the peer has the other one.
    ///   - limit: the maximum size of a message in bytes.
    package init(role: WebSocketRole, limit: Int, inflater: MessageInflater? = nil) {
        self.role = role
        self.limit = limit
        self.inflater = inflater
    }

    /// The number of supplied bytes that wait for further ones, or for ``next()``.
    package var unreadCount: Int { buffer.count - start }

    /// Adds bytes of the peer; after the end they are dropped.
    package mutating func supply(_ bytes: Data) {
        if case .ended = phase { return }
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next event.
    /// - Returns: nil if further bytes are needed, or after the close frame.
    /// - Throws: ``WebSocketError`` with the code for the close frame to send; then there are no more events.
    package mutating func next() throws(WebSocketError) -> FrameEvent? {
        do throws(WebSocketError) {
            while true {
                switch phase {
                case .ended: return nil
                case .header:
                    guard let (header, size) = try parseHeader() else { return nil }
                    if header.opcode.isControl {
                        guard buffer.count - start - size >= header.length else { return nil }
                        start += size
                        return try control(header)
                    }
                    start += size
                    phase = .payload(header, offset: 0)
                case .payload(let header, let offset):
                    let count = min(header.length - offset, buffer.count - start)
                    if count > 0 { try append(header, offset: offset, count: count) }
                    guard offset + count == header.length else {
                        phase = .payload(header, offset: offset + count)
                        return nil
                    }
                    phase = .header
                    if header.isFinal { return .message(try finish()) }
                }
            }
        } catch {
            end()
            throw error
        }
    }

    private mutating func end() {
        phase = .ended
        partial = nil
        (buffer, start) = ([], 0)
    }

    // MARK: Headers

    private mutating func parseHeader() throws(WebSocketError) -> (FrameHeader, Int)? {
        let parsed = buffer.withUnsafeBytes { bytes in
            Result { () throws(WebSocketError) in
                try FrameHeader.parse(UnsafeRawBufferPointer(rebasing: bytes[start...]))
            }
        }
        guard let (header, size) = try parsed.get() else { return nil }
        switch role {
        case .client: guard header.mask == nil else { throw .violation("a frame of the server is masked") }
        case .server: guard header.mask != nil else { throw .violation("a frame of the client is not masked") }
        }
        if header.isCompressed, header.opcode.isControl || header.opcode == .continuation || inflater == nil {
            throw .violation("a reserved bit is set on a frame that is not the first of a compressed message")
        }
        if !header.opcode.isControl { try begin(header) }
        return (header, size)
    }

    /// Begins a fragment. Called again for the same frame only before its header is complete.
    private mutating func begin(_ header: FrameHeader) throws(WebSocketError) {
        if header.opcode == .continuation {
            guard partial != nil else { throw .violation("a continuation without a message") }
        } else {
            guard partial == nil else { throw .violation("a new message within a fragmented one") }
            partial = Partial(isText: header.opcode == .text, isCompressed: header.isCompressed)
        }
        let cost = max(header.length, 1)
        let maximum = partial?.isCompressed == true ? MessageInflater.maximumInput(for: limit) : max(limit, 1)
        guard cost <= maximum - (partial?.cost ?? 0) else { throw .tooLarge(limit) }
        partial?.cost += cost
    }

    // MARK: Payloads

    private mutating func append(_ header: FrameHeader, offset: Int, count: Int) throws(WebSocketError) {
        let range = start..<(start + count)
        start += count
        if let mask = header.mask {
            buffer.withUnsafeMutableBytes { bytes in
                FrameMask.apply(mask, to: UnsafeMutableRawBufferPointer(rebasing: bytes[range]), offset: offset)
            }
        }
        if partial?.isCompressed == true {
            return try inflate(Data(buffer[range]))
        }
        let isValid = buffer.withUnsafeBytes { bytes in
            partial?.append(UnsafeRawBufferPointer(rebasing: bytes[range])) ?? true
        }
        guard isValid else { throw .invalidText("text") }
    }

    private mutating func inflate(_ bytes: Data) throws(WebSocketError) {
        guard let inflater else { return }
        inflater.supply(bytes)
        while let piece = try inflater.read() {
            guard let size = partial?.bytes.count, piece.count <= limit - size else { throw .tooLarge(limit) }
            let isValid = piece.withUnsafeBytes { partial?.append($0) ?? true }
            guard isValid else { throw .invalidText("text") }
        }
    }

    private mutating func finish() throws(WebSocketError) -> WebSocketMessage {
        if partial?.isCompressed == true {
            if let tail = inflater?.tail { try inflate(tail) }
            try inflater?.endMessage()
        }
        guard let message = partial.take() else { throw .violation("a continuation without a message") }
        guard message.isText else { return .binary(Data(message.bytes)) }
        guard message.validator.isComplete else { throw .invalidText("text") }
        return .text(String(decoding: message.bytes, as: UTF8.self))
    }

    private mutating func control(_ header: FrameHeader) throws(WebSocketError) -> FrameEvent {
        let range = start..<(start + header.length)
        start += header.length
        if let mask = header.mask {
            buffer.withUnsafeMutableBytes { bytes in
                FrameMask.apply(mask, to: UnsafeMutableRawBufferPointer(rebasing: bytes[range]), offset: 0)
            }
        }
        let payload = Data(buffer[range])
        switch header.opcode {
        case .ping: return .ping(payload)
        case .pong: return .pong(payload)
        default: return try close(payload)
        }
    }

    private mutating func close(_ payload: Data) throws(WebSocketError) -> FrameEvent {
        end()
        guard !payload.isEmpty else { return .close(.noCode, reason: "") }
        guard payload.count >= 2 else { throw .violation("a close frame has a payload of one byte") }
        let code = WebSocketCloseCode(UInt16(payload[0]) << 8 | UInt16(payload[1]))
        guard code.isSendable else { throw .violation("close code \(code) must not be sent") }
        guard let reason = String(validating: payload.dropFirst(2), as: UTF8.self) else {
            throw .invalidText("close reason")
        }
        return .close(code, reason: reason)
    }
}

extension FrameDecoder.Partial {
    /// Adds bytes; false if a text is not UTF-8.
    fileprivate mutating func append(_ added: UnsafeRawBufferPointer) -> Bool {
        bytes.append(contentsOf: added)
        return !isText || validator.append(added)
    }
}
