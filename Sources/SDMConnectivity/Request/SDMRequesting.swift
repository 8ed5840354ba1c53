/// The requests of a builder, under the name of the vendor's protocol: each is an ``SDMHttpRequest``, with all members
/// of that class.
public protocol SDMRequesting: SDMHttpRequest {}

extension SDMHttpRequest: SDMRequesting {}
