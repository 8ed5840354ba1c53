package import Foundation
import SystemLibraries

/// Compresses messages (RFC 7692, section 7.2.1).
package final class MessageDeflater {
    private let deflater: Deflater
    private let keepsContext: Bool
    /// The size below which messages are not compressed.
    let minimumBytes: Int

    /// - Parameters:
    ///   - windowBits: 9 to 15; zlib does not support 8.
    ///   - keepsContext: true if a message may refer to those before it (context takeover).
    /// - Throws: ``WebSocketError`` (`invalidHandshake`) if zlib is missing.
    package init(windowBits: Int, keepsContext: Bool, minimumBytes: Int = 0) throws(WebSocketError) {
        do {
            deflater = try Deflater(.raw(windowBits: windowBits))
        } catch {
            throw WebSocketError(
                .invalidHandshake,
                "Compression is not available; check `underlying`: install zlib, or set `WebSocketOptions.compression` to nil.",
                underlying: error)
        }
        self.keepsContext = keepsContext
        self.minimumBytes = minimumBytes
    }

    /// The compressed bytes of a message.
    package func compress(_ bytes: Data) throws(WebSocketError) -> Data {
        do {
            deflater.supply(bytes)
            var output = try deflater.flush()
            if !keepsContext { try deflater.reset() }
            if output.suffix(4) == MessageInflater.tail { output.removeLast(4) }
            // An empty message is an empty block (RFC 7692, section 7.2.3.6).
            return output.isEmpty ? Data([0x00]) : output
        } catch {
            throw WebSocketError(
                .protocolViolation, "zlib cannot compress a message.", closeCode: .internalError, underlying: error)
        }
    }
}
