// What the page of the details does with scripts. It fetches these after itself: asked for in the
// page, each would delay the first paint on a slow connection.

import "./countdown.js";
import "./total.js";
// After the others, which notice what it fills in.
import "./language-switch.js";
