import Synchronization

/// A nonce of a server, the client's nonce for it, and the count of requests with both.
final class DigestNonce: Sendable {
    let value: String
    /// The client's nonce. One per server nonce is enough: the server cannot choose its own after it has seen this one.
    let clientValue: String
    private let count = Atomic<UInt32>(0)

    init(_ value: String, clientValue: String) {
        self.value = value
        self.clientValue = clientValue
    }

    /// The count of the next request, from 1; no two requests get the same.
    func next() -> UInt32 { count.add(1, ordering: .relaxed).newValue }
}
