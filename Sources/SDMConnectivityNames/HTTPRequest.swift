@_exported public import SDMConnectivity

/// The shortest name of `SDMHttpRequest` in the vendor's guide.
///
/// It is in a module of its own, because a file that imports `SDMConnectivity` may use the `HTTPRequest` of
/// `HTTPMessages`. A file that imports both modules of the name writes `SDMHttpRequest`.
public typealias HTTPRequest = SDMHttpRequest
