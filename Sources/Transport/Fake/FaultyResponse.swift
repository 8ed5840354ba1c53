package import HTTPMessages

/// A response with a fault in its body, which the closure of a fake throws if the fake streams.
package struct FaultyResponse: Error {
    /// True while a fake calls its closure for a stream.
    @TaskLocal package static var isAccepted = false

    private let open: @Sendable ((any TransferObserver)?) -> HTTPResponseStream

    /// - Parameter open: makes the response, whose body reports the bytes that it delivers.
    package init(_ open: @escaping @Sendable ((any TransferObserver)?) -> HTTPResponseStream) { self.open = open }

    /// The response to a request.
    package func stream(for request: HTTPRequest, observer: (any TransferObserver)?) -> HTTPResponseStream {
        var response = open(observer)
        response.head.method = response.head.method ?? request.method
        return response
    }
}
