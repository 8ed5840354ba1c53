/// The kinds of failure of ``WLFailResponse``, with the numbers of version 8.0.
public enum WLClientErrorCode: Int, Sendable {
    /// Any other failure.
    case unexpectedError = 0
    /// A procedure of an adapter reported a failure.
    case procedureError = 1
    /// The request could not be sent, or got no response.
    case submitFailure = 2
}
