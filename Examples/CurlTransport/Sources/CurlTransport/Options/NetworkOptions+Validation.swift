import Foundation
import HTTPMessages
import Transport

extension CurlTransport.NetworkOptions {
    /// The options with authorities in PEM, as libcurl reads them, if a version of libcurl has all of them.
    /// - Throws: `unsupported` for an option that it lacks; `proxy` and `tls` for an invalid value.
    func validated(for version: CurlVersion) throws(TransportError) -> Self {
        var options = self
        if case .server(let server) = proxy, !server.isValid {
            // Without the user and the password of a URL.
            let host = server.host.lastIndex(of: "@").map { server.host[$0...].dropFirst() } ?? server.host[...]
            throw TransportError(
                .proxy,
                "Proxy address is invalid: \(host.debugDescription), port \(server.port); use a host name or "
                    + "an address without a scheme, a port from 1 to 65535, and exceptions without whitespace.")
        }
        if case .server(let server) = proxy, !server.hasWholeCredentials {
            throw TransportError(
                .proxy, "User or password of the proxy contains NUL, which cannot be sent; use other credentials.")
        }
        if case .server(let server) = proxy, server.kind == .https, !version.hasHTTPSProxy {
            throw Self.unsupported("proxy", "libcurl \(version) was built without https proxies")
        }
        if httpVersion == .http2PriorKnowledge, !version.hasHTTP2 {
            throw Self.unsupported("httpVersion", "libcurl \(version) was built without HTTP/2")
        }
        switch trustAnchors {
        case .additional:
            throw Self.unsupported("trustAnchors", "libcurl has one list of authorities; pass all of them as `.only`")
        case .only(.data(let certificates)):
            guard version.hasTrustAnchorBlobs else {
                throw Self.unsupported("trustAnchors", "libcurl \(version) reads them from a file only")
            }
            options.trustAnchors = .only(.data([try Certificates.data(certificates).pem()]))
        case .only(.file), .system: break
        @unknown default:
            throw Self.unsupported("trustAnchors", "this version of CurlTransport does not know them: \(trustAnchors)")
        }
        if case .bytes = clientCertificate?.source, !version.hasCertificateBlobs {
            throw Self.unsupported("clientCertificate", "libcurl \(version) reads it from files only")
        }
        if clientCertificate?.password?.utf8.contains(0) == true {
            throw TransportError(
                .tls, "The password of the client certificate's key contains NUL; encrypt the key with another one.")
        }
        for (what, file) in files where file.path.utf8.contains(0) {
            throw TransportError(
                .tls, "\(what) has NUL in its path: \(file.lastPathComponent.debugDescription); use another path.")
        }
        for (what, file) in files where !FileManager.default.isReadableFile(atPath: file.path) {
            throw TransportError(.tls, "\(what) cannot be read: \(file.lastPathComponent.debugDescription).")
        }
        return options
    }

    /// The files of the options, which libcurl reads for each new connection.
    var files: [(what: String, file: URL)] {
        var files: [(String, URL)] = []
        if case .only(.file(let file)) = trustAnchors { files.append(("The file of trust anchors", file)) }
        if case .files(let certificate, let key) = clientCertificate?.source {
            files += [("The client certificate", certificate), ("The key of the client certificate", key)]
        }
        return files
    }

    private static func unsupported(_ option: String, _ reason: String) -> TransportError {
        TransportError(.unsupported, "The option `\(option)` is not supported: \(reason).")
    }
}
