public import HTTPMessages

/// Wants nothing of the body, whatever it holds.
public struct EmptyResponseDecoder: ResponseDecoder {
    /// A decoder.
    public init() {}

    /// Nothing.
    public func decode(_ response: HTTPResponse) {}
}

extension ResponseDecoder where Self == EmptyResponseDecoder {
    /// Nothing: the body is not looked at.
    public static var empty: EmptyResponseDecoder { EmptyResponseDecoder() }
}
