/// What requests of the type ``SDMRequestType/sup`` do.
///
/// The vendor's messaging channel is not published, so that it cannot be offered.
public enum SUPChannelPolicy: Hashable, Sendable {
    /// They use the server's REST interface, with its headers; the default.
    case rest
    /// They fail with ``SDMConnectivityException`` (`supRequestInitError`).
    case fail
}
