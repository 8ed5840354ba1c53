public import Foundation
public import HTTPMessages

/// Gives the body as it is.
public struct DataResponseDecoder: ResponseDecoder {
    /// A decoder.
    public init() {}

    /// The body.
    public func decode(_ response: HTTPResponse) -> Data { response.body }
}

extension ResponseDecoder where Self == DataResponseDecoder {
    /// The body as it is.
    public static var data: DataResponseDecoder { DataResponseDecoder() }
}
