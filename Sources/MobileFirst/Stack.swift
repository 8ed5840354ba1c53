import Authentication
import HTTPMessages
import Transport

/// The layers under all requests: gateways, cookies, then the network.
typealias GatewayStack = GatewayKeeping<CookieKeeping<ClientNetwork>>
/// The layers of a resource: tokens, resends after conflicts and after logins at gateways, redirects, then those of
/// ``GatewayStack``.
typealias ResourceStack = Authorizing<
    ConflictResending<GatewayResending<Redirecting<GatewayStack>>>, MobileFirstAuthorizer
>
/// The layers of a request to the authorization server, whose redirects are not followed.
typealias SignInStack = SignInTransport<GatewayResending<GatewayStack>>

extension ClientState {
    /// The layers of a resource's request. Its options say which origins get a token.
    func resources(
        _ handlers: HandlerRegistry, _ credentials: CredentialCache<MobileFirstAuthorizer>
    ) -> ResourceStack {
        GatewayResending(base: gateways(handlers).redirecting(), handlers: handlers).resendingConflicts()
            .authorizing(with: credentials, at: .chosenByAuthorizer)
    }

    /// The layers of a request to the authorization server.
    func signIns(_ handlers: HandlerRegistry) -> SignInStack {
        SignInTransport(base: GatewayResending(base: gateways(handlers), handlers: handlers), state: self)
    }

    private func gateways(_ handlers: HandlerRegistry) -> GatewayStack {
        GatewayKeeping(base: network, state: self, handlers: handlers)
    }

    /// The network with cookies, also for the login forms of gateways.
    var network: CookieKeeping<ClientNetwork> { ClientNetwork(state: self).keepingCookies(in: cookieJar) }
}

extension StreamingTransport {
    fileprivate func resendingConflicts() -> ConflictResending<Self> { ConflictResending(base: self) }
}
