import Foundation
public import HTTPMessages

private enum VisitedOriginsKey: RequestOptionKey { static var defaultValue: Set<Origin> { [] } }
private enum RedirectsKey: RequestOptionKey { static var defaultValue: RequestRedirects { .byPolicy } }
private enum CredentialFieldsKey: RequestOptionKey { static var defaultValue: Set<HTTPFieldName> { [] } }
private enum SecretBodyKey: RequestOptionKey { static var defaultValue: Bool { false } }

extension RequestOptions {
    /// The redirects that ``Redirecting`` follows for this request; default: those of its policy.
    public var redirectPolicy: RequestRedirects {
        get { hasLayerOptions ? self[RedirectsKey.self] : .byPolicy }
        set { self[RedirectsKey.self] = newValue }
    }

    /// Whether the body contains credentials, so that no redirect sends it to another origin; default false.
    ///
    /// ``Redirecting`` refuses such a redirect with `redirectRefused`. A resumable upload that is at another origin
    /// than its endpoint fails with ``UploadError`` (`unsupported`). Logs, archives, recordings and lines for curl
    /// have a placeholder in place of the body.
    public var hasSecretBody: Bool {
        get { hasLayerOptions && self[SecretBodyKey.self] }
        set { self[SecretBodyKey.self] = newValue }
    }

    /// The fields of the credential that a layer has added, besides `Authorization`: no redirect sends them to another
    /// origin.
    package var credentialFields: Set<HTTPFieldName> {
        get { hasLayerOptions ? self[CredentialFieldsKey.self] : [] }
        set { self[CredentialFieldsKey.self] = newValue }
    }

    /// The origins to which redirects, pages and transfers have led from that of the call, also if one led back.
    package var visitedOrigins: Set<Origin> {
        get { hasLayerOptions ? self[VisitedOriginsKey.self] : [] }
        set { self[VisitedOriginsKey.self] = newValue }
    }

    /// True after a redirect, a page, or a transfer that went on, to another origin.
    ///
    /// Also if a later redirect led back: credentials and signatures are not restored.
    package var hasLeftOrigin: Bool { !visitedOrigins.isEmpty }
}

extension AllowedOrigins {
    /// True if the origin of a request is in the list, and each one on the way to it.
    ///
    /// The server of any other origin would choose what is sent with the credential.
    /// - Parameter owner: the client of ``baseURL``.
    package func allows(_ request: HTTPRequest, owner: BaseURLOwner) -> Bool {
        contains(request, owner: owner)
            && request.options.visitedOrigins.allSatisfy { $0 == request.origin || contains($0) }
    }
}

extension HTTPRequest {
    /// The body as logs and files show it: a placeholder for one with credentials.
    package var shownBody: HTTPBody {
        body.isEmpty || !options.hasSecretBody ? body : .bytes(Data(Redaction.placeholder.utf8))
    }
}
