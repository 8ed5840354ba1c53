package import Foundation

/// Writes frames: a state machine without I/O. A message is one frame.
package struct FrameEncoder: ~Copyable {
    private let role: WebSocketRole
    private let deflater: MessageDeflater?
    private var generator: any RandomNumberGenerator & Sendable

    /// - Parameter generator: makes the masks of a client, which must not be predictable (RFC 6455, section 10.3).
    package init(
        role: WebSocketRole, deflater: MessageDeflater? = nil,
        masks generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.role = role
        self.deflater = deflater
        self.generator = generator
    }

    /// Appends a message.
    /// - Throws: `SystemLibraryError` as the cause of ``WebSocketError`` if zlib fails.
    package mutating func encode(_ message: WebSocketMessage, to output: inout Data) throws(WebSocketError) {
        if let deflater, message.byteCount >= deflater.minimumBytes {
            return encode(message, compressed: try deflater.compress(message.data), to: &output)
        }
        encode(message, compressed: nil, to: &output)
    }

    /// Appends a message.
    /// - Parameter compressed: the compressed bytes; nil to send it as it is.
    mutating func encode(_ message: WebSocketMessage, compressed: Data?, to output: inout Data) {
        if let compressed {
            return append(message.opcode, isCompressed: true, to: &output) { write in compressed.withUnsafeBytes(write)
            }
        }
        switch message {
        case .binary(let data): append(.binary, to: &output) { write in data.withUnsafeBytes(write) }
        case .text(var text): append(.text, to: &output) { write in text.withUTF8 { write(.init($0)) } }
        }
    }

    /// Appends a ping with a payload of at most 125 bytes.
    package mutating func encodePing(_ payload: Data, to output: inout Data) {
        append(.ping, to: &output) { write in payload.prefix(FrameHeader.maximumControlPayload).withUnsafeBytes(write) }
    }

    /// Appends a pong with the payload of its ping.
    package mutating func encodePong(_ payload: Data, to output: inout Data) {
        append(.pong, to: &output) { write in payload.prefix(FrameHeader.maximumControlPayload).withUnsafeBytes(write) }
    }

    /// Appends a close frame.
    /// - Parameters:
    ///   - code: ``WebSocketCloseCode/noCode`` sends none.
    ///   - reason: cut to 123 bytes, at a character.
    package mutating func encodeClose(_ code: WebSocketCloseCode, reason: String, to output: inout Data) {
        var payload = Data()
        if code.isSendable {
            payload.append(contentsOf: [UInt8(code.rawValue >> 8), UInt8(truncatingIfNeeded: code.rawValue)])
            payload.append(reason.closeReason)
        }
        append(.close, to: &output) { write in payload.withUnsafeBytes(write) }
    }

    private mutating func append(
        _ opcode: FrameHeader.Opcode, isCompressed: Bool = false, to output: inout Data,
        payload: ((UnsafeRawBufferPointer) -> Void) -> Void
    ) {
        let mask: UInt32? = role == .client ? generator.next() : nil
        var start = 0
        payload { bytes in
            FrameHeader(
                isFinal: true, isCompressed: isCompressed, opcode: opcode, mask: mask, length: bytes.count
            ).write { output.append(contentsOf: $0) }
            start = output.count
            output.append(contentsOf: bytes)
        }
        guard let mask, start < output.count else { return }
        output.withUnsafeMutableBytes { bytes in
            FrameMask.apply(mask, to: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]), offset: 0)
        }
    }
}

extension WebSocketMessage {
    fileprivate var opcode: FrameHeader.Opcode {
        switch self {
        case .text: .text
        case .binary: .binary
        }
    }

    /// The bytes of a message.
    var data: Data {
        switch self {
        case .text(let text): Data(text.utf8)
        case .binary(let data): data
        }
    }
}

extension String {
    /// The start of a reason that a close frame has room for beside its code: 123 bytes of whole characters.
    var closeReason: Data {
        var bytes = Data()
        for character in unicodeScalars {
            let encoded = String(character).utf8
            guard bytes.count + encoded.count <= FrameHeader.maximumControlPayload - 2 else { break }
            bytes.append(contentsOf: encoded)
        }
        return bytes
    }
}
