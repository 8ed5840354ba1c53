import Foundation
import Transport

extension EasyHandle {
    /// Sets the options that all transfers of a client have, on their template.
    func apply(_ options: CurlTransport.NetworkOptions) {
        set(.noSignal, 1)
        set(.protocols, CurlConstant.webProtocols)
        set(.pathAsIs, 1)
        set(.suppressConnectHeaders, 1)
        set(.disallowUserInURL, 1)
        set(.http09, 0)
        // The engine decodes bodies, see `ContentCodings`.
        set(.contentDecoding, 0)
        // The response timeout ends a connection attempt, and not libcurl's five minutes.
        set(.connectTimeout, Int(Int32.max))
        if library.version.hasQuickExit { set(.quickExit, 1) }
        setVersions(options)
        setTrust(options)
        setCertificate(options)
        // A session that is resumed keeps the identity and the trust of the files that it was made with.
        if !options.files.isEmpty { set(.sessionCache, 0) }
        setProxy(options.proxy)
    }

    private func setVersions(_ options: CurlTransport.NetworkOptions) {
        // CURL_HTTP_VERSION_1_1, ..._2TLS and ..._2_PRIOR_KNOWLEDGE
        switch options.httpVersion {
        case .automatic: set(.httpVersion, library.version.hasHTTP2 ? 4 : 2)
        case .http1: set(.httpVersion, 2)
        case .http2PriorKnowledge: set(.httpVersion, 5)
        }
        // CURL_SSLVERSION_TLSv1_2 and ..._3
        let version = options.minimumTLSVersion == .tls12 ? 6 : 7
        set(.sslVersion, version)
        set(.proxySSLVersion, version)
        switch options.addressFamily {
        case .any: break
        case .ipv4: set(.ipResolve, 1)
        case .ipv6: set(.ipResolve, 2)
        }
    }

    private func setTrust(_ options: CurlTransport.NetworkOptions) {
        switch options.trustAnchors {
        case .system, .additional: break
        case .only(.file(let file)):
            // A file that is replaced counts for the next connection.
            if library.version.cachesTrustAnchors { set(.trustCacheTimeout, 0) }
            set(.trustFile, file.path)
            set(.proxyTrustFile, file.path)
        case .only(.data(let certificates)):
            // In PEM, see `validated(for:)`.
            let text = certificates.reduce(Data(), +)
            set(.trustBlob, text)
            set(.proxyTrustBlob, text)
        // Refused before, see `validated(for:)`.
        @unknown default: break
        }
        // The system's folder of authorities would be trusted as well.
        if options.trustAnchors != .system {
            set(.trustFolder, nil as UnsafeRawPointer?)
            set(.proxyTrustFolder, nil as UnsafeRawPointer?)
        }
        if !options.verifiesServerCertificates {
            set(.verifyPeer, 0)
            set(.verifyHost, 0)
        }
        if !options.pinnedPublicKeys.isEmpty {
            // `sha256//` is libcurl's way to write it.
            let pins = options.pinnedPublicKeys.map { "sha256//" + $0.sha256.base64EncodedString() }
            set(.pinnedPublicKey, pins.sorted().joined(separator: ";"))
        }
    }

    private func setCertificate(_ options: CurlTransport.NetworkOptions) {
        guard let certificate = options.clientCertificate else { return }
        set(.certificateType, "PEM")
        set(.keyType, "PEM")
        switch certificate.source {
        case .files(let certificate, let key):
            set(.certificateFile, certificate.path)
            set(.keyFile, key.path)
        case .bytes(let certificate, let key):
            set(.certificateBlob, certificate)
            set(.keyBlob, key)
        }
        // Without one, OpenSSL would ask the terminal, and block the thread.
        set(.keyPassword, certificate.password ?? "")
    }

    private func setProxy(_ proxy: CurlTransport.Proxy) {
        switch proxy {
        case .environment: break
        case .none:
            // An empty text makes libcurl ignore the environment; nil would not.
            set(.proxy, "")
            set(.noProxy, "*")
        case .server(let server):
            set(.proxy, server.url)
            set(.noProxy, server.exceptions.joined(separator: ","))
            if let user = server.user { set(.proxyUser, user) }
            if let password = server.password { set(.proxyPassword, password) }
        }
    }
}
