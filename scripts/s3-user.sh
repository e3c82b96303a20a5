#!/bin/sh
# Makes the application's user of a versitygw object store, or gives it its secret again. Run by its root user:
#
#   ADMIN_ENDPOINT_URL=http://s3:7070 ADMIN_ACCESS_KEY_ID=... ADMIN_SECRET_ACCESS_KEY=... S3_APP_USER=... S3_APP_SECRET=... scripts/s3-user.sh
#
# The user has the role "user": it can neither make buckets nor set their policies. What it may do with the two buckets is in the
# policies that `banca buckets` writes, which is run as root, too. deploy/compose/docker-compose.yml runs both at every start.
set -eu
versitygw admin create-user --access "${S3_APP_USER:?}" --secret "${S3_APP_SECRET:?}" --role user ||
	versitygw admin update-user --access "$S3_APP_USER" --secret "$S3_APP_SECRET" --role user
