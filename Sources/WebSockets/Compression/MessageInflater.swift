import Foundation
import SystemLibraries

/// Decompresses the messages of a peer (RFC 7692, section 7.2.2), in pieces of bounded size.
package final class MessageInflater {
    /// What a sender removes from the end of each message: an empty stored block.
    static let tail = Data([0x00, 0x00, 0xFF, 0xFF])
    private static let pieceSize = 64 << 10

    /// The maximum size of a compressed message: one that cannot be compressed is up to 1 % larger than its content.
    static func maximumInput(for limit: Int) -> Int {
        let (sum, overflows) = max(limit, 1).addingReportingOverflow(limit / 64 + 64)
        return overflows ? .max : sum
    }

    private let inflater: Inflater
    private let keepsContext: Bool
    private var pieceSize = 1024

    /// - Parameter keepsContext: true if a message may refer to those before it (context takeover).
    /// - Throws: ``WebSocketError`` (`invalidHandshake`) if zlib is missing.
    package init(keepsContext: Bool) throws(WebSocketError) {
        do {
            // A larger window than the peer's reads its messages too.
            inflater = try Inflater(.raw(windowBits: 15))
        } catch {
            throw WebSocketError(
                .invalidHandshake,
                "Compression is not available, since zlib is not; install it, or set `WebSocketOptions.compression` to nil.",
                underlying: error)
        }
        self.keepsContext = keepsContext
    }

    func supply(_ bytes: Data) {
        pieceSize = min(max(pieceSize, bytes.count * 4), Self.pieceSize)
        inflater.supply(bytes)
    }

    /// The next decompressed bytes; nil if more input is needed.
    func read() throws(WebSocketError) -> Data? {
        do {
            return try inflater.read(atMost: pieceSize)
        } catch {
            throw WebSocketError(
                .protocolViolation, "The peer sent a compressed message that is invalid.", closeCode: .invalidData,
                underlying: error)
        }
    }

    /// The tail of a message, which its sender has removed; nil after a final block, which has none.
    var tail: Data? { inflater.isAtStreamEnd ? nil : Self.tail }

    /// Ends a message, of which all was read.
    func endMessage() throws(WebSocketError) {
        pieceSize = 1024
        guard inflater.isAtBlockEnd else {
            throw WebSocketError(
                .protocolViolation, "The peer sent a compressed message that is incomplete.", closeCode: .invalidData)
        }
        guard !keepsContext else { return }
        do {
            try inflater.reset()
        } catch {
            throw WebSocketError(
                .protocolViolation, "zlib cannot read another message.", closeCode: .internalError, underlying: error)
        }
    }
}
