public import Foundation
import HTTPMessages
import Synchronization

extension SDMHttpRequest {
    /// The body; nil without a body, for a body in a file, and if the delegate received it.
    ///
    /// The engine has decompressed it.
    public var responseData: Data! { state.withLock(\.results.body) }

    /// The same as ``responseData``: the engine decompresses the body while it arrives, so there are no raw bytes.
    public var rawResponseData: Data! { responseData }

    /// The body as text in `responseEncoding`; nil without a body, and if it is not valid in its encoding.
    ///
    /// Also nil, with a warning, if the response declares a charset that Foundation does not know: decode
    /// `responseData`, or set `defaultResponseEncoding`.
    public var responseString: String! {
        let (data, encoding, head, hasDefault) = state.withLock {
            ($0.results.body, $0.results.responseEncoding, $0.results.head, $0.settings.hasDefaultResponseEncoding)
        }
        if !hasDefault, data != nil, let head, let charset = head.mediaType?["charset"],
            String.Encoding(of: head) == nil
        {
            warn(
                "Unknown charset \(charset.prefix(40).debugDescription); decode `responseData`, or set "
                    + "`defaultResponseEncoding` before the request starts.")
            return nil
        }
        return data.flatMap { String(data: $0, encoding: encoding) }
    }
}
