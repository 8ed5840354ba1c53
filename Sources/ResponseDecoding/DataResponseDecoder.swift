public import Foundation
public import HTTPMessages

/// Decoder that returns the body unchanged.
public struct DataResponseDecoder: ResponseDecoder {
    /// Creates a decoder.
    public init() {}

    /// Returns the body.
    public func decode(_ response: HTTPResponse) -> Data { response.body }
}

extension ResponseDecoder where Self == DataResponseDecoder {
    /// Returns the body unchanged.
    public static var data: DataResponseDecoder { DataResponseDecoder() }
}
