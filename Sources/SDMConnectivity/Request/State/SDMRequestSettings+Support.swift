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
