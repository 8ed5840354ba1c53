import Authentication
extension SDMRequestSettings {
    /// Checks that the platform supports the settings, before anything is sent.
    func checkSupport(_ session: SDMSession) throws(SDMError) {
        if useHTTPVersionOne {
            throw SDMError(
                .internalErrorWhileBuildingRequest, "URLSession cannot send HTTP/1.0; leave `useHTTPVersionOne` false.")
        }
        if !clientCertificates.isEmpty {
            throw SDMError(
                .internalErrorWhileBuildingRequest,
                "`clientCertificates` is not supported; put the chain into the PKCS #12 data of "
                    + "`clientCertificateIdentity`.")
        }
        if useKeychainPersistence, session.configuration.savedCredentials == nil {
            throw SDMError(
                .internalErrorWhileBuildingRequest,
                "`useKeychainPersistence` needs a store; set `SDMSession.Configuration.savedCredentials`.")
        }
    }
}

extension SDMRequestSettings {
    /// User and password for the server or a proxy; nil unless both are set.
    func credential(isProxy: Bool) -> PasswordCredential? {
        guard let user = isProxy ? proxyUsername : username, let password = isProxy ? proxyPassword : password else {
            return nil
        }
        return PasswordCredential(user: user, password: password)
    }
}
