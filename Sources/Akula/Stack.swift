import HTTPMessages
public import Transport

// The layers of an agent without a transport of its own. An agent with one uses exactly that.

extension AnyTransport {
    /// The default of ``HTTPAgent/configure(transport:)``: the network with redirects.
    static let akula = AnyTransport(URLSessionTransport.shared.redirecting(.akula))
}

extension RedirectPolicy {
    /// `standard`, with the session and device headers as secrets: they never reach another origin.
    public static let akula = RedirectPolicy(
        secretFields: Set([sessionHeader, deviceHeader].compactMap { try? HTTPFieldName($0) }))
}
