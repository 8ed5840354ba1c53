public import Foundation
import Synchronization

extension SDMHttpRequest {
    /// The body; nil without a body, for a body in a file, and if the delegate received it.
    ///
    /// The engine has decompressed it.
    public var responseData: Data! { state.withLock(\.results.body) }

    /// The same as ``responseData``: the engine decompresses the body while it arrives, so there are no raw bytes.
    public var rawResponseData: Data! { responseData }

    /// The body as text in `responseEncoding`; nil without a body, and if it is not valid in its encoding.
    public var responseString: String! {
        let (data, encoding) = state.withLock { ($0.results.body, $0.results.responseEncoding) }
        return data.flatMap { String(data: $0, encoding: encoding) }
    }
}
