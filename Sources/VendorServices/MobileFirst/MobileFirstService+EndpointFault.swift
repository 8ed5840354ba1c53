public import HTTPMessages

extension MobileFirstService {
    /// A failure of one request that a test chooses, beyond those of the protocol.
    ///
    /// `Fault` of the test kit breaks the connection itself.
    public enum EndpointFault: Hashable, Sendable {
        /// A JSON error of this status.
        case status(HTTPStatus)
        /// No response until the request is cancelled.
        case stall
        /// 409 with the field `MFP-Conflict`.
        case conflict
        /// 400 with the error code `INVALID_CLIENT_ID`.
        case invalidClientID
    }
}
