package import HTTPMessages

/// A response as a layer sees it: what it does with a head is the same for a body in memory and for one to come.
package protocol HTTPAnswer: Sendable {
    var head: HTTPResponseHead { get set }

    /// Goes without the body, in a way that lets the connection be used again if there is not much of it.
    func discard() async
}

extension HTTPResponse: HTTPAnswer {
    package func discard() {}
}

extension HTTPResponseStream: HTTPAnswer {
    /// A new connection costs about as much as this many bytes.
    private static var worthReading: Int { 64 << 10 }

    package func discard() async { _ = try? await body.collect(upTo: Self.worthReading) }
}
