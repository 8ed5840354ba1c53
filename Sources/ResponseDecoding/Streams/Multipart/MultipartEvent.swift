public import Foundation

/// One step in a multipart body: each part is a head, then pieces of its content, then its end.
@nonexhaustive public enum MultipartEvent: Hashable, Sendable {
    /// A part starts.
    case head(MultipartHead)
    /// Bytes of the content of the part, never empty.
    case bytes(Data)
    /// The part ends.
    case end
}
