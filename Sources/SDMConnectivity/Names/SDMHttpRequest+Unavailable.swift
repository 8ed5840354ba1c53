public import Foundation

// Members of the vendor's class that cannot do their work here. Code that uses them does not compile, and is told why.

// swift-format-ignore-file: AlwaysUseLowerCamelCase

extension SDMHttpRequest {
    /// Not supported.
    @available(*, unavailable, message: "the system protects files; set the app's data protection entitlement instead")
    public class func setProtectionEnabled(_ isEnabled: Bool) {}
    /// Not supported.
    @available(*, unavailable, message: "the system protects files; set the app's data protection entitlement instead")
    public class func fileProtectionAttributes() -> [FileAttributeKey: Any]? { nil }
    /// Not supported.
    @available(*, unavailable, message: "the system protects files; set the app's data protection entitlement instead")
    public class func dataWritingOptions() -> Data.WritingOptions { [] }
    /// Not supported.
    @available(*, unavailable, message: "there is no trace to send; isTracingEnabled adds header fields only")
    public func sendE2ETraceXML(_ baseURL: URL?) {}
    /// Not supported.
    @available(*, unavailable, message: "iOS has no network activity indicator; show the request's progress instead")
    public class func setShouldUpdateNetworkActivityIndicator(_ isUpdated: Bool) {}
    /// Not supported.
    @available(*, unavailable, message: "iOS has no network activity indicator; show the request's progress instead")
    public class func showNetworkActivityIndicator() {}
    /// Not supported.
    @available(*, unavailable, message: "iOS has no network activity indicator; show the request's progress instead")
    public class func hideNetworkActivityIndicator() {}
    /// Not supported.
    @available(*, unavailable, message: "ask the platform, such as NWPathMonitor")
    public class func isNetworkReachableViaWWAN() -> Bool { false }
    /// Not supported.
    @available(*, unavailable, message: "set SDMSession.Configuration.savedCredentials and useKeychainPersistence")
    public func saveCredentialsToKeychain(_ credentials: [AnyHashable: Any]?) {}
    /// Not supported.
    @available(*, unavailable, message: "the proxy is that of the system's settings")
    public var proxyHost: String! {
        get { nil }
        set {}
    }
    /// Not supported.
    @available(*, unavailable, message: "the proxy is that of the system's settings")
    public var proxyPort: Int {
        get { 0 }
        set {}
    }
    /// Not supported.
    @available(*, unavailable, message: "the proxy is that of the system's settings")
    public var proxyType: String! {
        get { nil }
        set {}
    }
    /// Not supported.
    @available(*, unavailable, message: "the proxy is that of the system's settings")
    public var proxyDomain: String! {
        get { nil }
        set {}
    }
    /// Not supported.
    @available(*, unavailable, message: "the proxy is that of the system's settings")
    public var PACurl: URL! {
        get { nil }
        set {}
    }
}
