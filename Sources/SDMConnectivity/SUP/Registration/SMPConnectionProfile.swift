public import Foundation
import HTTPMessages
import Transport

/// The address of a server, direct or through a relay server.
public struct SMPConnectionProfile: Hashable, Sendable {
    /// The default port of Sybase Unwired Platform 2.
    public static let defaultSUPPort = 8000
    /// The default port of SAP Mobile Platform 3.
    public static let defaultSMPPort = 8080
    /// The template of a relay server on IIS.
    public static let relayTemplateIIS = "{scheme}://{host}:{port}/ias_relay_server/client/rs_client.dll/{farm}/"
    /// The template of a relay server on Apache.
    public static let relayTemplateApache = "{scheme}://{host}:{port}/cli/iasrelayserver/{farm}/"

    /// The URL before `odata/applications` and before the names of proxies; ends with a slash.
    public let baseURL: URL

    /// Creates a profile of a server's URL, such as that of a relay server with its farm.
    /// - Throws: ``SMPError`` (`emptyParameters`) for a URL that is not absolute http or https.
    public init(baseURL: URL) throws(SMPError) {
        let text = baseURL.absoluteString
        guard let slashed = URL(string: text.hasSuffix("/") ? text : text + "/"),
            (try? HTTPMessages.HTTPRequest(.get, slashed)) != nil, slashed.query() == nil, slashed.fragment() == nil
        else {
            throw SMPError(
                .emptyParameters, "Invalid server URL; use an absolute http or https URL without query and user.")
        }
        self.baseURL = slashed
    }

    /// Creates a profile of a host.
    /// - Parameters:
    ///   - port: default ``defaultSUPPort``.
    ///   - farm: the farm of a relay server; nil or empty without one.
    ///   - template: the path of a relay server, such as `/ias_relay_server/client/rs_client.dll`, to which the farm is
    ///     appended, as the vendor's header documents it; or a whole URL with the placeholders `{scheme}`, `{host}`,
    ///     `{port}` and `{farm}` (or `{FarmID}`). Default ``relayTemplateIIS`` with a farm.
    ///   - isSecure: true for https.
    /// - Throws: ``SMPError`` (`emptyParameters`), also for a host with a path, a port or a user in it.
    public init(
        host: String, port: Int = defaultSUPPort, farm: String? = nil, relayServerURLTemplate template: String? = nil,
        isSecure: Bool = false
    ) throws(SMPError) {
        guard Self.isHost(host), (1...65_535).contains(port) else {
            throw SMPError(
                .emptyParameters,
                "Invalid host \(host.prefix(253).debugDescription) or port \(port); use a name or an address alone, and a "
                    + "port from 1 to 65535.")
        }
        let farm = farm ?? ""
        let direct = "{scheme}://{host}:{port}/"
        var template = template ?? ""
        if template.isEmpty {
            template = farm.isEmpty ? direct : Self.relayTemplateIIS
        } else if !template.contains("://") {
            // The path alone: the vendor's class appends the farm.
            var segments = template.split(separator: "/")
            if !farm.isEmpty, !template.contains("{") { segments.append("{farm}") }
            template = direct + segments.map { $0 + "/" }.joined()
        }
        let placeholders = [
            ("{scheme}", isSecure ? "https" : "http"), ("{host}", host), ("{port}", String(port)),
            ("{farm}", farm.pathSegment), ("{FarmID}", farm.pathSegment),
        ]
        let text = placeholders.reduce(template) { $0.replacing($1.0, with: $1.1) }
        guard !text.contains("{"), let url = URL(string: text) else {
            throw SMPError(
                .emptyParameters,
                "Invalid relay server template; use a path, or the placeholders {scheme}, {host}, {port} and {farm}.")
        }
        try self.init(baseURL: url)
    }

    /// True for a name, an IPv4 address, or an IPv6 address in brackets, without anything else of a URL.
    private static func isHost(_ host: String) -> Bool {
        let isAddress = host.hasPrefix("[") && host.hasSuffix("]")
        let name = isAddress ? host.dropFirst().dropLast() : host[...]
        return !name.isEmpty
            && name.allSatisfy { $0.isLetter || $0.isNumber || "-._".contains($0) || isAddress && $0 == ":" }
    }

    /// The URL of an application's connections.
    /// - Parameters:
    ///   - version: `latest`, or `v1`.
    ///   - isAnonymous: true for the path of anonymous access, `public/`.
    func connections(of app: String, version: String, isAnonymous: Bool) -> URL {
        let path = "\(isAnonymous ? "public/" : "")odata/applications/\(version)/\(app.pathSegment)/Connections"
        return URL(string: baseURL.absoluteString + path) ?? baseURL
    }

    /// The URL of one connection of an application. A quote in its identifier stands twice, as in each key of OData.
    func connection(_ id: String, of app: String, version: String, isAnonymous: Bool) -> URL {
        let url = connections(of: app, version: version, isAnonymous: isAnonymous)
        return URL(string: url.absoluteString + "('\(id.replacing("'", with: "''").pathSegment)')") ?? url
    }

    /// The URL of a proxy, an end point that the server's administrator has named.
    public func proxyURL(_ name: String, isAnonymous: Bool = false) -> URL {
        URL(string: baseURL.absoluteString + (isAnonymous ? "public/" : "") + name.pathSegment + "/") ?? baseURL
    }

    /// True for a cookie that some requests to this server carry.
    func receives(_ cookie: Cookie) -> Bool {
        let (host, path) = (Origin(baseURL).host, baseURL.path())
        let isOfHost = host == cookie.domain || !cookie.isHostOnly && host.hasSuffix("." + cookie.domain)
        let folder = cookie.path.hasSuffix("/") ? cookie.path : cookie.path + "/"
        return isOfHost && (path.hasPrefix(folder) || folder.hasPrefix(path))
    }

    /// True for a URL of this server.
    func contains(_ url: URL) -> Bool {
        Origin(url) == Origin(baseURL) && (url.path() + "/").hasPrefix(baseURL.path())
    }
}
