// Names from Objective-C and the Android client. Each is a compile error with the correct name.

extension HHFWController {
    /// The controller is a singleton.
    @available(*, unavailable, renamed: "sharedInstance()")
    public convenience init() { self.init(client: HyperHive()) }
    /// `sharedInstance` is a method.
    @available(*, unavailable, renamed: "sharedInstance()")
    public static var shared: HHFWController { sharedInstance() }
    /// Another name.
    @available(*, unavailable, renamed: "sharedInstance()")
    public static func sharedController() -> HHFWController { sharedInstance() }
    /// Android's name.
    @available(*, unavailable, renamed: "getTablesName(_:resourceName:requestParams:)")
    public func getTablesNames(_ path: String?, resourceName: String?, requestParams: String?) -> String? { nil }
    /// Android's name.
    @available(*, unavailable, renamed: "saveParam(_:forKey:)")
    public func saveParamToDB(_ key: String?, _ value: String?) {}
    /// Android's name.
    @available(*, unavailable, renamed: "paramForKey(_:)")
    public func getParamFromDB(_ key: String?) -> String? { nil }
    /// Android's name.
    @available(*, unavailable, renamed: "deltaStream(_:deltaStreamCallParams:handler:)")
    public func streamCallDelta(_ resource: String?) {}
    /// Android's name.
    @available(*, unavailable, renamed: "tableStream(_:transactionID:requestCallParams:handler:)")
    public func streamCallTable(_ resource: String?) {}
    /// Android's name.
    @available(*, unavailable, message: "pass 'documentsFolder' to the options of the client: configureShared(client:)")
    public func setDbPathDefault(_ path: String?) {}
    /// Android's name.
    @available(*, unavailable, renamed: "setRetryCount(_:)")
    public func setDefaultRetryCount(_ count: Int) {}
    /// Android's name.
    @available(*, unavailable, renamed: "setRetryIntervalSec(_:)")
    public func setDefaultRetryIntervalSec(_ seconds: Int) {}
}

extension HHFWCallParams {
    /// Another spelling.
    @available(*, unavailable, renamed: "dataBasePath")
    public var databasePath: String? {
        get { nil }
        set {}
    }
    /// Another name.
    @available(*, unavailable, renamed: "data")
    public var requestParams: String? {
        get { nil }
        set {}
    }
}
