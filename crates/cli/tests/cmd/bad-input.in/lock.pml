active proctype p() { skip }
