// Apple's Foundation: that of Linux, the modules that belong to it or are exported by it there, and what this package uses
// of it beyond Linux's. Only types are checked with it.
@_exported import Darwin
@_exported import Foundation
@_exported import FoundationNetworking
@_exported import FoundationXML
@_exported import ObjectiveC
public import Security

extension URLSessionConfiguration {
    public class func background(withIdentifier identifier: String) -> URLSessionConfiguration { fatalError() }
    public var allowsExpensiveNetworkAccess: Bool { get { fatalError() } set {} }
    public var allowsConstrainedNetworkAccess: Bool { get { fatalError() } set {} }
    public var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t { get { fatalError() } set {} }
}
extension URLRequest {
    public var assumesHTTP3Capable: Bool { get { fatalError() } set {} }
}
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"
extension URLProtectionSpace {
    public var serverTrust: SecTrust? { fatalError() }
}
extension URLCredential {
    public convenience init(trust: SecTrust) { fatalError() }
    public convenience init(identity: SecIdentity, certificates: [Any]?, persistence: URLCredential.Persistence) {
        fatalError()
    }
}
