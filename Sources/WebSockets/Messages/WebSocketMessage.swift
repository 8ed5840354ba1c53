public import Foundation

/// A message of a WebSocket (RFC 6455, section 5.6).
public enum WebSocketMessage: Hashable, Sendable {
    /// A text, sent in UTF-8.
    case text(String)
    /// Bytes.
    case binary(Data)

    /// The size of the content in bytes.
    public var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let data): data.count
        }
    }
}
