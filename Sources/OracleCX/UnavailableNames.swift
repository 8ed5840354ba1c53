public import Foundation
public import Transport

// Names from the Objective-C and Android clients and URLSession. Each is a compile error with the correct name.

extension HTTPManager where Base == AnyTransport {
    /// The manager is a singleton.
    @available(*, unavailable, renamed: "shared()")
    public convenience init() { self.init(transport: .network) }
    /// Objective-C's name.
    @available(*, unavailable, renamed: "shared()")
    public static func sharedManager() -> ORAHTTPManager { shared() }
    /// Another name.
    @available(*, unavailable, renamed: "shared()")
    public static func sharedInstance() -> ORAHTTPManager { shared() }
}

extension HTTPManager {
    /// Another label.
    @available(*, unavailable, renamed: "addRequest(_:completionHandler:)")
    public func addRequest(_ request: ORARequest, completion: @escaping (ORAResponse) -> Void) {}
    /// Another label.
    @available(*, unavailable, renamed: "addRequest(_:completionHandler:)")
    public func addRequest(request: ORARequest, completionHandler: @escaping (ORAResponse) -> Void) {}
    /// Another name.
    @available(*, unavailable, renamed: "addRequest(_:completionHandler:)")
    public func sendRequest(_ request: ORARequest, completionHandler: @escaping (ORAResponse) -> Void) {}
    /// Another name.
    @available(*, unavailable, renamed: "addRequest(_:completionHandler:)")
    public func send(_ request: ORARequest, completionHandler: @escaping (ORAResponse) -> Void) {}
    /// Another name.
    @available(*, unavailable, message: "call 'queue.cancelAll()', or 'cancel()' on the call that addRequest returns")
    public func cancelAllRequests() {}
}

extension ORARequest {
    /// Objective-C's spelling.
    @available(*, unavailable, renamed: "init(url:)")
    public convenience init(URL: String?) { self.init(url: URL) }
    /// A URL instead of a string.
    @available(*, unavailable, message: "pass the URL as a string: ORARequest(url: url.absoluteString)")
    public convenience init(url: URL) { self.init(url: url.absoluteString) }
    /// URLRequest's name.
    @available(*, unavailable, renamed: "requestType")
    public var httpMethod: String? {
        get { nil }
        set {}
    }
    /// URLRequest's name.
    @available(*, unavailable, renamed: "requestBody")
    public var httpBody: Data? {
        get { requestBody }
        set {}
    }
    /// Another name.
    @available(*, unavailable, renamed: "requestBody")
    public var body: Data? {
        get { requestBody }
        set {}
    }
    /// URLRequest's name.
    @available(*, unavailable, renamed: "headers")
    public var allHTTPHeaderFields: [String: String]? {
        get { nil }
        set {}
    }
    /// URLRequest's method.
    @available(*, unavailable, message: "set 'headers', a dictionary")
    public func setValue(_ value: String?, forHTTPHeaderField field: String) {}
    /// URLRequest's method.
    @available(*, unavailable, message: "set 'headers', a dictionary")
    public func addValue(_ value: String, forHTTPHeaderField field: String) {}
    /// URLRequest's name.
    @available(
        *, unavailable, message: "set the timeouts of all requests once: ORAHTTPManager.configureShared(timeouts:)"
    )
    public var timeoutInterval: Double {
        get { 60 }
        set {}
    }
    /// Another name.
    @available(*, unavailable, renamed: "requestTag")
    public var tag: String? {
        get { requestTag }
        set {}
    }
}

extension ORARequestType {
    /// The vendor's constant is a global name.
    @available(*, unavailable, renamed: "post")
    public static var POST: ORARequestType { .post }  // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The vendor's constant is a global name.
    @available(*, unavailable, renamed: "get")
    public static var GET: ORARequestType { .get }  // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Another method.
    @available(*, unavailable, message: "the vendor's layer sends GET and POST only")
    public static var put: ORARequestType { .post }
    /// Another method.
    @available(*, unavailable, message: "the vendor's layer sends GET and POST only")
    public static var delete: ORARequestType { .post }
}

extension ORARequestPriority {
    /// The vendor's constant is a global name.
    @available(*, unavailable, renamed: "immediate")
    public static var Immediate: ORARequestPriority { .immediate }  // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The vendor's constant is a global name.
    @available(*, unavailable, renamed: "normal")
    public static var Normal: ORARequestPriority { .normal }  // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Another name.
    @available(*, unavailable, renamed: "immediate")
    public static var high: ORARequestPriority { .immediate }
}

extension ORAResponse {
    /// Android's name.
    @available(*, unavailable, renamed: "statusCode")
    public var responseCode: Int? { statusCode }
    /// Another name.
    @available(*, unavailable, renamed: "data")
    public var body: Data? { data }
    /// Another name.
    @available(*, unavailable, renamed: "data")
    public var responseData: Data? { data }
    /// Android's name.
    @available(*, unavailable, renamed: "error")
    public var exception: (any Error)? { error }
    /// Another name.
    @available(*, unavailable, renamed: "requestTag")
    public var tag: String? { requestTag }
}

extension ORABaseDataContainer {
    /// The key-value coding name.
    @available(*, unavailable, renamed: "putValue(_:forKey:)")
    public func setValue(_ value: Any?, forKey key: ORAConfigSetting) {}
    /// The key-value coding name.
    @available(*, unavailable, renamed: "getValue(_:)")
    public func value(forKey key: ORAConfigSetting) -> String? { getValue(key) }
    /// Another label.
    @available(*, unavailable, renamed: "getValue(_:)")
    public func getValue(forKey key: ORAConfigSetting) -> String? { getValue(key) }
    /// Another label.
    @available(*, unavailable, renamed: "putValue(_:forKey:)")
    public func putValue(_ value: String, key: ORAConfigSetting) {}
    /// A Boolean instead of a string.
    @available(*, unavailable, message: "values are strings: pass \"true\" or \"false\"")
    public func putValue(_ value: Bool, forKey key: ORAConfigSetting) {}
    /// A number instead of a string.
    @available(*, unavailable, message: "values are strings: pass \"4\" instead of 4")
    public func putValue(_ value: Int, forKey key: ORAConfigSetting) {}
}
