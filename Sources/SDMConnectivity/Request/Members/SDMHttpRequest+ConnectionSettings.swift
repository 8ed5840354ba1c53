public import Foundation
import Synchronization
public import Transport

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

// The settings of the connection. Objects of the vendor's header are implicitly unwrapped, as Swift imported it: they
// are optional where code treats them so.

extension SDMHttpRequest {
    // MARK: Request

    /// The URL; a redirect changes it, and ``originalURL`` keeps the first one.
    public var url: URL! {
        get { self[\.url] }
        set { self[\.url] = newValue }
    }

    /// The method, sent as it is written; default `GET`. `POST` and `PUT` turn ``shouldAttemptPersistentConnection``
    /// off.
    public var requestMethod: String {
        get { self[\.requestMethod] }
        set { self[\.requestMethod] = newValue }
    }

    // MARK: Credentials

    /// The user for the server; default nil.
    public var username: String! {
        get { self[\.username] }
        set { self[\.username] = newValue }
    }

    /// The password for the server; default nil.
    public var password: String! {
        get { self[\.password] }
        set { self[\.password] = newValue }
    }

    /// The domain of the user for NTLM, which is not supported; default nil.
    public var domain: String! {
        get { self[\.domain] }
        set { self[\.domain] = newValue }
    }

    /// The user for a proxy; default nil.
    public var proxyUsername: String! {
        get { self[\.proxyUsername] }
        set { self[\.proxyUsername] = newValue }
    }

    /// The password for a proxy; default nil.
    public var proxyPassword: String! {
        get { self[\.proxyPassword] }
        set { self[\.proxyPassword] = newValue }
    }

    /// The scheme of the credentials; ``SDMAuthenticationSchemeBasic`` sends them before the server asks.
    ///
    /// Unless the app sets it: nil, and after a challenge that of the server, `Basic` or `Digest`.
    public var authenticationScheme: String! {
        get { state.withLock { $0.settings.authenticationScheme ?? $0.results.authenticationScheme } }
        set { self[\.authenticationScheme] = newValue }
    }

    /// True to send known credentials before the server asks for them; default true.
    public var shouldPresentCredentialsBeforeChallenge: Bool {
        get { self[\.shouldPresentCredentialsBeforeChallenge] }
        set { self[\.shouldPresentCredentialsBeforeChallenge] = newValue }
    }

    /// True to use and keep credentials in the session; default true.
    public var useSessionPersistence: Bool {
        get { self[\.useSessionPersistence] }
        set { self[\.useSessionPersistence] = newValue }
    }

    /// True to save credentials in the session's credential storage; default false.
    ///
    /// See `SDMSession.savedCredentials`. The vendor used the keychain.
    public var useKeychainPersistence: Bool {
        get { self[\.useKeychainPersistence] }
        set { self[\.useKeychainPersistence] = newValue }
    }

    /// Without effect: there is no dialog. Default false.
    public var shouldPresentAuthenticationDialog: Bool {
        get { self[\.shouldPresentAuthenticationDialog] }
        set { self[\.shouldPresentAuthenticationDialog] = newValue }
    }

    /// Without effect: there is no dialog. Default true.
    public var shouldPresentProxyAuthenticationDialog: Bool {
        get { self[\.shouldPresentProxyAuthenticationDialog] }
        set { self[\.shouldPresentProxyAuthenticationDialog] = newValue }
    }

    // MARK: Connection

    /// Seconds without bytes sent or received before the request fails; 0 means never. Default 10.
    ///
    /// With a request body the limit is 1.5 times as long: for the whole request if the body has at most 128 KiB, else
    /// until the response head arrives.
    public var timeOutSeconds: TimeInterval {
        get { self[\.timeOutSeconds] }
        set { self[\.timeOutSeconds] = newValue }
    }

    /// The number of attempts after a timeout; default 0.
    public var retryCountOnTimeout: Int {
        get { self[\.retryCountOnTimeout] }
        set { self[\.retryCountOnTimeout] = newValue }
    }

    /// ``retryCountOnTimeout`` under its name in ASIHTTPRequest.
    public var numberOfTimesToRetryOnTimeout: Int {
        get { retryCountOnTimeout }
        set { retryCountOnTimeout = newValue }
    }

    /// True to keep the connection open; default true, false for `POST`, `PUT` and requests with a body.
    ///
    /// On Linux a request gets a connection of its own if this is false, and in any case for a method other than `GET`,
    /// `HEAD` and `OPTIONS`, since the engine repeats a request when a kept connection turns out to be closed.
    /// Elsewhere the engine decides, and this only decides ``connectionCanBeReused``.
    public var shouldAttemptPersistentConnection: Bool {
        get { self[\.shouldAttemptPersistentConnection] }
        set { self[\.shouldAttemptPersistentConnection] = newValue }
    }

    /// Seconds for which the server keeps an idle connection, as far as known; default 60.
    public var persistentConnectionTimeoutSeconds: TimeInterval {
        get { self[\.persistentConnectionTimeoutSeconds] }
        set { self[\.persistentConnectionTimeoutSeconds] = newValue }
    }

    /// True to fail, since URLSession cannot send HTTP/1.0; default false.
    public var useHTTPVersionOne: Bool {
        get { self[\.useHTTPVersionOne] }
        set { self[\.useHTTPVersionOne] = newValue }
    }

    /// False to accept any certificate of the server; default true. See `SDMSession.Configuration.makeTransport`.
    public var validatesSecureCertificate: Bool {
        get { self[\.validatesSecureCertificate] }
        set { self[\.validatesSecureCertificate] = newValue }
    }

    /// The certificate of this client, for servers that request one; default nil.
    ///
    /// The vendor's type is `SecIdentityRef`, which exists on Apple's platforms only. If the session's transport is not
    /// a `URLSessionTransport` alone, set `SDMSession.Configuration.makeTransport` too, or the request fails.
    public var clientCertificateIdentity: URLSessionTransport.ClientCertificate? {
        get { self[\.clientCertificateIdentity] }
        set { self[\.clientCertificateIdentity] = newValue }
    }

    /// Further certificates of the client's chain. Put them into ``clientCertificateIdentity``; others fail the
    /// request.
    public var clientCertificates: [Data] {
        get { self[\.clientCertificates] }
        set { self[\.clientCertificates] = newValue }
    }

    /// True to continue while the app is in the background, as long as the system permits; default true. Read when the
    /// request starts to run.
    ///
    /// The request holds a background task of `UIApplication` until its delegate has been called at the end, or until
    /// the task expires. The system may suspend the app then, and the transfer with it. Without UIKit, as on Linux and
    /// in command line tools, there are no such tasks.
    public var shouldContinueInBackground: Bool {
        get { self[\.shouldContinueInBackground] }
        set { self[\.shouldContinueInBackground] = newValue }
    }

    /// ``shouldContinueInBackground`` under its name in ASIHTTPRequest.
    public var shouldContinueWhenAppEntersBackground: Bool {
        get { shouldContinueInBackground }
        set { shouldContinueInBackground = newValue }
    }

    // MARK: Redirects and cookies

    /// True to follow the redirects 301, 302, 303 and 307, at most five; default true.
    public var shouldRedirect: Bool {
        get { self[\.shouldRedirect] }
        set { self[\.shouldRedirect] = newValue }
    }

    /// True to keep the method and the body on 301 and 302; default false, as browsers do.
    public var shouldUseRFC2616RedirectBehaviour: Bool {
        get { self[\.shouldUseRFC2616RedirectBehaviour] }
        set { self[\.shouldUseRFC2616RedirectBehaviour] = newValue }
    }

    /// True to send and store the cookies of the session; default true.
    public var useCookiePersistence: Bool {
        get { self[\.useCookiePersistence] }
        set { self[\.useCookiePersistence] = newValue }
    }

    /// Cookies to send in addition, before those of the session; default none. A redirect drops them.
    ///
    /// They are sent as they are, also if the session has a cookie with the same name.
    public var requestCookies: [HTTPCookie] {
        get { self[\.requestCookies] }
        set { self[\.requestCookies] = newValue }
    }
}
